import type { OrderSealer } from '@app/card-vault';
import { loadOnto, runDecision, runOpeningDecision, type Actor, type EventStore } from '@app/event-store';
import type { Clock, Ids, MerchantLogin } from '@app/kernel';
import { caseOf, type Made } from '../domain/case-of-finding';
import {
  type CaseOpened,
  type GateRecord,
  reconciliationCase,
  type Case,
  type CaseCommand,
  type CaseRejection,
  type CaseApplied,
} from '../domain/case';
import type { Finding } from '../domain/compare';
import { reconciliationCodec, caseIdOf, caseStream, caseStreamOf } from '../reconciliation.codec';

/** Body of a case request over JSON; amounts are minor units as text. */
export type CaseRequestBody = Omit<CaseOpened['data'], 'openedAt' | 'gate' | 'source' | 'fileDigest' | 'told'> & {
  readonly told?: Omit<GateRecord, 'amount' | 'commissionMinor'> & {
    readonly amountMinor?: string;
    readonly currency?: string;
    readonly commissionMinor?: string;
  };
};

/** What a gate told of one page of requests. */
export interface InquiryPage {
  readonly asked: number;
  readonly matched: number;
  /** Requests without a result, or which are open here. */
  readonly notTold: number;
  /** As the operator port accepts them to open cases. */
  readonly differences: readonly CaseRequestBody[];
  /** The `after` of the next request; absent at the end of the period. */
  readonly next?: string;
}

export const caseRequestOf = (finding: Exclude<Finding, { readonly kind: 'matched' }>, made: Made): CaseRequestBody => {
  const { gate: _gate, source, fileDigest: _digest, told, ...found } = caseOf(finding, made);
  if (told === undefined) return found;
  const { amount, commissionMinor, line, ...word } = told;
  return {
    ...found,
    told: {
      ...word,
      ...(line !== undefined && source === 'file' && { line }),
      ...(amount !== undefined && { amountMinor: amount.minor.toString(), currency: amount.currency }),
      ...(commissionMinor !== undefined && { commissionMinor: commissionMinor.toString() }),
    },
  };
};

/** Name bound into the ciphertext of an operator's reason. */
export const CASE_REASON = 'reconciliation-reason';

export interface CasesPorts {
  readonly store: EventStore;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface OpenedCase {
  readonly caseId: string;
  /** False if the same difference opened this case before, and it is still open or was closed without a change. */
  readonly isNew: boolean;
}

/** Opens and ends cases. Changes to the order are recorded by the order itself. */
export class Cases {
  constructor(private readonly ports: CasesPorts) {}

  /** @throws StoreUnavailable, OutcomeUnknown */
  async open(found: Omit<CaseOpened['data'], 'openedAt'>, by: Actor): Promise<OpenedCase> {
    const { store, clock } = this.ports;
    const opened = { ...found, openedAt: clock.now() };
    const stream = caseStreamOf(opened);
    const result = await runOpeningDecision({
      store,
      codec: reconciliationCodec,
      decider: reconciliationCase,
      stream,
      command: { type: 'OpenCase', data: opened },
      envelope: this.#envelope(by, opened),
    });
    return { caseId: caseIdOf(stream), isNew: result.kind === 'appended' };
  }

  async find(caseId: string): Promise<Case> {
    const nothing = { state: reconciliationCase.initial, last: 'no_stream' as const, eventCount: 0 };
    return (await loadOnto(nothing, this.ports.store, caseStream(caseId), reconciliationCase, reconciliationCodec)).state;
  }

  /** @param reason the operator's, kept sealed. @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable */
  async close(caseId: string, reason: string, by: Actor): Promise<'closed' | CaseRejection['reason']> {
    const ended = await this.#end(caseId, reason, by, (sealed) => ({
      type: 'CloseCase',
      data: { reason: sealed, now: this.ports.clock.now() },
    }));
    return ended ?? 'closed';
  }

  /** Records that the gate's result was applied. @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable */
  async recordApplied(
    caseId: string,
    applied: Pick<CaseApplied['data'], 'to' | 'effect'>,
    reason: string,
    by: Actor,
  ): Promise<'applied' | CaseRejection['reason']> {
    const ended = await this.#end(caseId, reason, by, (sealed) => ({
      type: 'RecordApplied',
      data: { ...applied, reason: sealed, now: this.ports.clock.now() },
    }));
    return ended ?? 'applied';
  }

  async #end(
    caseId: string,
    reason: string,
    by: Actor,
    command: (sealed: CaseApplied['data']['reason']) => CaseCommand,
  ): Promise<CaseRejection['reason'] | undefined> {
    const { store, sealer } = this.ports;
    const known = await this.find(caseId);
    if (known.status === 'none') return 'unknown-case';
    const merchant = (known.opened.order?.merchant ?? '') as MerchantLogin;
    const sealed = (await sealer.takeKey()).seal(merchant, CASE_REASON, reason);
    const result = await runDecision({
      store,
      codec: reconciliationCodec,
      decider: reconciliationCase,
      stream: caseStream(caseId),
      command: command(sealed),
      envelope: this.#envelope(by, known.opened),
    });
    return result.kind === 'appended' ? undefined : result.rejection.reason;
  }

  #envelope(by: Actor, { order }: Pick<CaseOpened['data'], 'order'>) {
    const { clock, ids } = this.ports;
    const commandId = ids.next();
    return { correlation: commandId, causation: commandId, ...by, merchant: order?.merchant ?? '', commandId, recordedAt: clock.now() };
  }
}
