import type { EventStore, Position, StreamName } from '@app/event-store';
import type { Operator } from '@app/configuration';
import { isOrderId, present, type Deadline, type Instant, type MerchantLogin, type OrderId } from '@app/kernel';
import { indexState, type IndexState, listState } from '@app/read-models/queries';
import { ORDER_STATUS, type ListedRecord, type ProjectionHealth } from '@app/read-models';
import type { ListOrders } from '../orders/list-orders';

export const NAME_KINDS = ['orderid', 'client_orderid'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

export interface OrderIds {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly merchant: string;
}

export interface OrderLookup {
  /** The order must belong to this merchant. */
  readonly merchant?: string | undefined;
  /** Only this kind of name. */
  readonly by?: NameKind | undefined;
}

/** The index of orders is behind the log. */
export type IndexGap = Exclude<IndexState, 'level'>;

export type OrderUnnamed =
  /** The order may be missing if `index` is set, since the index is then behind the log. */
  | { readonly kind: 'unknown-order'; readonly index: IndexGap | undefined }
  | { readonly kind: 'ambiguous'; readonly orders: readonly OrderIds[] };

interface NamedOrder {
  readonly kind: 'order';
  readonly stream: StreamName;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
}

interface OrderNamesPorts {
  readonly lists: Pick<ListOrders, 'page'>;
  readonly log: Pick<EventStore, 'subscribe'>;
  readonly readModel: { health(): Promise<readonly ProjectionHealth[]> };
}

/** Undefined unless the order belongs to one of these merchants. */
export const streamOfOrder = async (
  orders: { byOrderId(merchants: readonly MerchantLogin[], orderId: OrderId): Promise<{ readonly stream: StreamName } | undefined> },
  merchants: readonly MerchantLogin[],
  orderId: string,
): Promise<StreamName | undefined> => (isOrderId(orderId) ? (await orders.byOrderId(merchants, orderId))?.stream : undefined);

const gapIn = (state: IndexState): IndexGap | undefined => (state === 'level' ? undefined : state);

const NAMED_MAX = 5;

export class OrderNames {
  constructor(private readonly ports: OrderNamesPorts) {}

  async one(id: string, asked: OrderLookup, operator: Operator, deadline: Deadline): Promise<NamedOrder | OrderUnnamed> {
    const found = await this.#named(id, asked, operator, deadline);
    const [order] = found;
    if (order === undefined) return { kind: 'unknown-order', index: await this.indexState() };
    if (found.length > 1) return { kind: 'ambiguous', orders: found.map(({ view }) => view) };
    return { kind: 'order', stream: order.stream, orderId: order.view.orderId, merchant: order.view.merchant };
  }

  /** For a refusal: whether an order that was not found may exist nevertheless. */
  async gapOf({ reason }: { readonly reason: string }): Promise<{ readonly index?: IndexGap }> {
    return present({ index: reason === 'unknown-order' ? await this.indexState() : undefined });
  }

  /** Set if the index is behind the log, so that an order may be missing. */
  async indexState(): Promise<IndexGap | undefined> {
    return gapIn(await indexState(this.ports.log, await this.#checkpoint()));
  }

  /** Set if the list of orders that is read now is more than two seconds behind the log. */
  async listState(now: Instant): Promise<IndexGap | undefined> {
    return gapIn(await listState(this.ports.log, await this.#checkpoint(), now));
  }

  async #checkpoint(): Promise<Position | undefined> {
    return (await this.ports.readModel.health()).find(({ projection }) => projection === ORDER_STATUS)?.position;
  }

  /** By both kinds of name: one order's client_orderid may be another's orderid. */
  async #named(id: string, { merchant, by }: OrderLookup, operator: Operator, deadline: Deadline): Promise<readonly ListedRecord[]> {
    const filter = merchant === undefined ? {} : { merchant: merchant as MerchantLogin };
    const found = new Map<StreamName, ListedRecord>();
    for (const kind of NAME_KINDS) {
      if ((by ?? kind) !== kind || (kind === 'orderid' && !isOrderId(id))) continue;
      const identifiers = kind === 'orderid' ? { order: id } : { clientOrderId: id };
      const page = await this.ports.lists.page({ filter, identifiers }, { limit: NAMED_MAX, operator, deadline });
      for (const record of page?.orders ?? []) found.set(record.stream, record);
    }
    return [...found.values()];
  }
}
