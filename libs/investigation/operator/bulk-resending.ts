import { VaultUnavailable, type ServiceDigests } from '@app/card-vault';
import type { ResendCallback } from '@app/callbacks';
import type { Accounts } from '@app/configuration';
import { afterEffect } from '@app/event-store';
import type { Clock, Deadline, Instant } from '@app/kernel';
import type { DeliveryFilter, DeliveryQueries } from '@app/read-models';
import type { OperatorAudit } from '../record/operator-audit';
import { act, merchantsListed, type ActingOperator } from './operator-access';
import type { OperatorLists } from './operator-lists';

/** A token of a count is valid for this time. */
const COUNT_VALID_MS = 86_400_000;
const TOKEN = /^(\d{1,16})\.([0-9a-f]{64})$/;

export interface DeliveriesWanted extends Omit<DeliveryFilter, 'merchants'> {
  readonly merchant?: string | undefined;
}

export interface CountedDeliveries {
  readonly reason: 'counted';
  /** 10,000 means this many or more. */
  readonly count: number;
  /** Names the filter and the moment of the count. */
  readonly token: string;
}

export type BulkResent =
  | {
      readonly reason: 'requested';
      readonly requested: number;
      /** Already due, or changed since the count. */
      readonly skipped: number;
      /** The cursor of the next call. Absent at the end. */
      readonly next?: string;
    }
  | { readonly reason: 'not-counted' }
  | { readonly reason: 'malformed-cursor' };

interface BulkResendingPorts {
  readonly lists: Pick<OperatorLists, 'deliveries'>;
  readonly readModel: { readonly deliveries: Pick<DeliveryQueries, 'count'> };
  readonly resending: Pick<ResendCallback, 'resend'>;
  readonly accounts: Pick<Accounts, 'logins'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
  readonly clock: Clock;
}

/** Requests attempts for all callbacks of a filter, which was counted before. The delivery work sends them, at its own pace for each merchant. */
export class BulkResending {
  constructor(private readonly ports: BulkResendingPorts) {}

  async count(wanted: DeliveriesWanted, { operator }: ActingOperator, deadline?: Deadline): Promise<CountedDeliveries> {
    const { merchant, ...filter } = wanted;
    const { readModel, accounts, clock } = this.ports;
    const merchants = merchantsListed(operator, accounts.logins, merchant);
    const at = clock.now();
    const { count } = await readModel.deliveries.count({ ...filter, merchants }, deadline);
    return { reason: 'counted', count, token: `${at}.${this.#digest(wanted, at, operator.merchants)}` };
  }

  /**
   * Resends a part. Repeated with the same token and cursor, also after a kill, it requests no attempt twice.
   * @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable: repeat the same call
   */
  async resend(
    wanted: DeliveriesWanted,
    { token, limit, cursor, reason }: { readonly token: string; readonly limit: number; readonly cursor?: string; readonly reason: string },
    acting: ActingOperator,
    deadline: Deadline,
  ): Promise<BulkResent> {
    const [, at = '', digest] = TOKEN.exec(token) ?? [];
    const countedAt = Number(at) as Instant;
    const isCounted = digest === this.#digest(wanted, countedAt, acting.operator.merchants);
    if (!isCounted || this.ports.clock.now() >= countedAt + COUNT_VALID_MS) return { reason: 'not-counted' };
    return act(
      this.ports.audit,
      acting,
      { action: 'resend-deliveries', target: digest, done: ['requested'] },
      async (by): Promise<BulkResent> => {
        const { operator } = acting;
        const page = await this.ports.lists.deliveries(wanted, { limit, cursor, operator, deadline });
        if (page === undefined) return { reason: 'malformed-cursor' };
        let requested = 0;
        for (const { deliveryId, lastChangeAt } of page.deliveries) {
          // An attempt since the count, or an earlier call with this token, has changed it.
          if (Date.parse(lastChangeAt) > countedAt) continue;
          const resend = () => this.ports.resending.resend({ deliveryId, reason, by, merchants: operator.merchants, once: token });
          const answer = await (requested === 0 ? resend() : afterEffect(resend, VaultUnavailable));
          if (answer.reason === 'requested') requested += 1;
        }
        return {
          reason: 'requested',
          requested,
          skipped: page.deliveries.length - requested,
          ...(page.next !== undefined && { next: page.next }),
        };
      },
    );
  }

  #digest({ state, merchant, target, since, until }: DeliveriesWanted, at: Instant, merchants: readonly string[] | undefined): string {
    const parts = [state, merchant, target, since, until, at, merchants?.join(',')];
    return this.ports.digests.onceKey(
      'bulk resend',
      parts.map((part) => String(part ?? '')),
    );
  }
}
