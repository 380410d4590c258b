import type { ServiceDigests } from '@app/card-vault';
import { deliveryKey, failureText } from '@app/callbacks';
import type { Accounts, Operator } from '@app/configuration';
import type { EventStore } from '@app/event-store';
import type { Clock, Deadline, Instant, MerchantLogin, OrderId } from '@app/kernel';
import { indexState } from '@app/read-models/queries';
import {
  deliveries,
  type DeliveryFilter,
  type DeliveryQueries,
  type DeliveryView,
  type ListPlace,
  type OperatorOrderQueries,
  type Projection,
  type ProjectionHealth,
} from '@app/read-models';
import { auditInstant, auditInstantOrNull } from '../orders/audit-instant';
import { readCursor, writeCursor } from '../orders/list-orders';
import { merchantsAsked } from './operator-access';
import type { IndexGap } from './order-names';

interface OperatorListsPorts {
  readonly log: Pick<EventStore, 'subscribe'>;
  readonly readModel: {
    readonly deliveries: Pick<DeliveryQueries, 'page'>;
    readonly operatorOrders: Pick<OperatorOrderQueries, 'orderIdsOf'>;
    health(): Promise<readonly ProjectionHealth[]>;
  };
  readonly accounts: Pick<Accounts, 'logins'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly clock: Clock;
}

/** What a person asks of a list. */
interface Asked {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly operator: Pick<Operator, 'merchants'>;
  readonly deadline: Deadline;
}

interface PageEnd {
  /** The cursor of the next page. Absent after the last one. */
  readonly next?: string;
  /** The index is behind the log, so that an entry may be missing or old. */
  readonly index?: IndexGap;
}

export interface ListedDelivery {
  /** Null until the order is in the index. */
  readonly orderId: string | null;
  readonly merchant: string;
  /** `<webhook-id>:<target>`. */
  readonly deliveryId: string;
  readonly target: DeliveryView['target'];
  readonly status: DeliveryView['status'];
  readonly attempts: number;
  /** The result of the latest attempt, in words. Null before the first attempt. */
  readonly lastResult: string | null;
  readonly firstAttemptAt: string;
  readonly lastChangeAt: string;
  /** Null if no attempt follows. */
  readonly nextAttemptAt: string | null;
  /** Since the first attempt. */
  readonly ageSeconds: number;
}

export interface ListedDeliveries extends PageEnd {
  readonly deliveries: readonly ListedDelivery[];
}

const SECOND_MS = 1_000;

/** The merchants that a list shows; undefined for all, including those that are no longer configured. */
export const merchantsListed = (
  operator: Pick<Operator, 'merchants'>,
  configured: readonly MerchantLogin[],
  merchant: string | undefined,
): readonly MerchantLogin[] | undefined =>
  operator.merchants === undefined && merchant === undefined ? undefined : merchantsAsked(operator, configured, merchant);

const resultText = ({ failure, httpStatus }: DeliveryView): string | null => {
  if (failure !== undefined) return failureText(failure);
  return httpStatus === undefined ? null : `answered HTTP ${httpStatus}`;
};

const listedDelivery = (view: DeliveryView, orderId: OrderId | undefined, now: Instant): ListedDelivery => ({
  orderId: orderId ?? null,
  merchant: view.merchant,
  deliveryId: deliveryKey(view.factId, view.target),
  target: view.target,
  status: view.status,
  attempts: view.tries,
  lastResult: resultText(view),
  firstAttemptAt: auditInstant(view.since),
  lastChangeAt: auditInstant(view.changedAt),
  nextAttemptAt: auditInstantOrNull(view.nextTryAt ?? null),
  ageSeconds: Math.max(0, Math.floor((now - view.since) / SECOND_MS)),
});

/** Lists over all orders, limited to the merchants that the operator may see. */
export class OperatorLists {
  constructor(private readonly ports: OperatorListsPorts) {}

  /**
   * Undefined if the cursor is not the `next` of a page with the same filters.
   * @throws StoreUnavailable, also after the deadline
   */
  async deliveries(
    { merchant, ...filter }: Omit<DeliveryFilter, 'merchants'> & { readonly merchant?: string | undefined },
    asked: Asked,
  ): Promise<ListedDeliveries | undefined> {
    const { readModel, accounts, clock } = this.ports;
    const merchants = merchantsListed(asked.operator, accounts.logins, merchant);
    const digest = this.#digest('deliveries', { ...filter, merchants });
    const place = this.#placeOf(asked.cursor, digest);
    if (place === 'malformed') return undefined;
    const { limit, deadline } = asked;
    const page = await readModel.deliveries.page({ ...filter, merchants }, { limit, after: place, deadline });
    const orderIds = await readModel.operatorOrders.orderIdsOf(
      page.deliveries.map(({ view }) => view.orderStream),
      deadline,
    );
    const now = clock.now();
    return {
      deliveries: page.deliveries.map(({ view }) => listedDelivery(view, orderIds.get(view.orderStream), now)),
      ...(await this.#end(deliveries, page.next, digest)),
    };
  }

  #digest(list: string, filter: object): string {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    const parts = given.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, value]) => [name, String(value)]);
    return this.ports.digests.onceKey('audit question', [list, ...parts]);
  }

  #placeOf(cursor: string | undefined, digest: string): ListPlace | undefined | 'malformed' {
    if (cursor === undefined) return undefined;
    const place = readCursor(this.ports.digests, cursor, digest);
    return place === undefined ? 'malformed' : { at: place.createdAt, stream: place.stream };
  }

  async #end({ name, categories }: Pick<Projection, 'name' | 'categories'>, next: ListPlace | undefined, digest: string): Promise<PageEnd> {
    const { log, readModel, digests } = this.ports;
    const health = (await readModel.health()).find((one) => one.projection === name);
    const index = await indexState(log, health?.position, categories);
    return {
      ...(next !== undefined && { next: writeCursor(digests, { createdAt: next.at, stream: next.stream }, digest) }),
      ...(index !== 'level' && { index }),
    };
  }
}
