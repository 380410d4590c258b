import { HttpStatus } from '@nestjs/common';
import type { ListOrders } from '@app/audit';
import type { EventStore, StreamName } from '@app/event-store';
import { HttpReply } from '@app/http-server';
import { isOrderId, type Deadline, type MerchantLogin, type OrderId } from '@app/kernel';
import { indexState } from '@app/order-queries';
import { ORDER_STATUS, type ListedRecord, type ProjectionHealth } from '@app/projections';

/** Why a name means no single order. */
export type OrderUnnamed =
  /** @see indexState for `index`, where the index is behind the log: the order may be missing in it */
  | { readonly kind: 'unknown-order'; readonly index: string | undefined }
  | { readonly kind: 'ambiguous'; readonly merchants: readonly string[] };

export interface NamedOrder {
  readonly kind: 'order';
  readonly stream: StreamName;
  readonly orderId: OrderId;
  readonly merchant: MerchantLogin;
}

export interface OrderNamesPorts {
  readonly lists: Pick<ListOrders, 'page'>;
  readonly log: Pick<EventStore, 'subscribe'>;
  readonly readModel: { health(): Promise<readonly ProjectionHealth[]> };
}

/** More than one is too many. */
const NAMED_MAX = 5;

/** Finds the order that an investigator means, by its orderid or its client_orderid. */
export class OrderNames {
  constructor(private readonly ports: OrderNamesPorts) {}

  /** @param merchant where it is given, the order must be of it @throws StoreUnavailable */
  async one(id: string, merchant: string | undefined, deadline: Deadline): Promise<NamedOrder | OrderUnnamed> {
    const found = await this.#named(id, merchant as MerchantLogin | undefined, deadline);
    const [order] = found;
    if (order === undefined) return { kind: 'unknown-order', index: await this.indexState() };
    if (found.length > 1) return { kind: 'ambiguous', merchants: found.map(({ view }) => view.merchant) };
    return { kind: 'order', stream: order.stream, orderId: order.view.orderId, merchant: order.view.merchant };
  }

  /** Says where the index is behind the log, so that an order may be missing. */
  async indexState(): Promise<string | undefined> {
    const health = (await this.ports.readModel.health()).find(({ projection }) => projection === ORDER_STATUS);
    const state = await indexState(this.ports.log, health?.position);
    return state === 'level' ? undefined : state;
  }

  async #named(id: string, merchant: MerchantLogin | undefined, deadline: Deadline): Promise<readonly ListedRecord[]> {
    const filter = merchant === undefined ? {} : { merchant };
    const names = isOrderId(id) ? (['order', 'clientOrderId'] as const) : (['clientOrderId'] as const);
    for (const name of names) {
      const page = await this.ports.lists.page({ filter, identifiers: { [name]: id } }, { limit: NAMED_MAX, deadline });
      if (page !== undefined && page.orders.length > 0) return page.orders;
    }
    return [];
  }
}

export const orderUnnamed = (answer: OrderUnnamed): HttpReply =>
  answer.kind === 'unknown-order'
    ? HttpReply.json(HttpStatus.NOT_FOUND, { error: 'not found', ...(answer.index !== undefined && { index: answer.index }) })
    : HttpReply.json(HttpStatus.CONFLICT, { error: `several orders carry this id: name one of ${answer.merchants.join(', ')}` });
