import type { OrderSealer } from '@app/card-vault';
import type { EventStore, StreamName } from '@app/event-store';
import type { CardUid, Deadline, Instant } from '@app/kernel';
import { orderSummary } from '@app/order-queries';
import type { OrderStatusView } from '@app/projections';
import { datedEvents, eventsAsOf, orderHistory, viewAfter } from '../../as-of';
import { consumerOf, matchOf, type Consumer, type ConsumerMatch } from './consumer';
import { sealedConsumer } from './sealed-consumer';

/** An earlier order of the same card, as a scheme takes it for evidence. */
export interface EarlierOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly acceptedAt: string;
  readonly amount: string;
  readonly currency: string;
  /** Null where the personal data of either order were erased. */
  readonly sameAs: ConsumerMatch | null;
}

export interface EarlierOrders {
  /** Approved before the order, and undisputed at the time of the pack; the newest first. */
  readonly orders: readonly EarlierOrder[];
  /** Orders of the card that were looked at. */
  readonly looked: number;
  /** True where the card has more orders than are looked at for one pack. */
  readonly isCut: boolean;
}

export interface EarlierOrdersPorts {
  readonly log: Pick<EventStore, 'read'>;
  readonly sealer: Pick<OrderSealer, 'unseal'>;
  /** Streams of the orders that were paid with a card, at most `limit`. */
  readonly ordersOfCard: (uid: CardUid, limit: number, deadline?: Deadline) => Promise<readonly StreamName[]>;
}

/** Schemes ask for two to five; a card that pays daily must not make a pack that never ends. */
export const ORDERS_LOOKED_AT_MAX = 200;

const isDisputed = ({ reports = [] }: OrderStatusView): boolean =>
  reports.some(({ kind, misfit }) => misfit === null && (kind === 'chargeback' || kind === 'fraud-warning'));

/** @throws what store and vault throw; BrokenChain */
export const earlierOrders = async (
  { log, sealer, ordersOfCard }: EarlierOrdersPorts,
  {
    view,
    stream,
    consumer,
    at,
  }: {
    readonly view: OrderStatusView;
    readonly stream: StreamName;
    readonly consumer: Consumer | undefined;
    readonly at: Instant;
  },
  deadline?: Deadline,
): Promise<EarlierOrders> => {
  if (view.card === null) return { orders: [], looked: 0, isCut: false };
  const streams = (await ordersOfCard(view.card.uid, ORDERS_LOOKED_AT_MAX + 1, deadline)).filter((other) => other !== stream);
  const looked = streams.slice(0, ORDERS_LOOKED_AT_MAX);
  const found: (EarlierOrder & { readonly at: Instant })[] = [];
  for (const other of looked) {
    const history = datedEvents(await orderHistory(log, other));
    const then = viewAfter(eventsAsOf(history, { kind: 'known-at', at }));
    if (then === undefined || then.merchant !== view.merchant || then.status !== 'approved') continue;
    if (then.acceptedAt >= view.acceptedAt || isDisputed(then)) continue;
    const theirs = consumer && (await consumerOf(sealer, sealedConsumer(then, history), deadline));
    const { orderId, clientOrderId, amount, currency } = orderSummary(then);
    found.push({
      orderId,
      clientOrderId,
      acceptedAt: new Date(then.acceptedAt).toISOString(),
      amount,
      currency,
      sameAs: consumer && theirs ? matchOf(consumer, theirs) : null,
      at: then.acceptedAt,
    });
  }
  const orders = found.sort((a, b) => b.at - a.at || (a.orderId < b.orderId ? -1 : 1)).map(({ at: _at, ...order }) => order);
  return { orders, looked: looked.length, isCut: streams.length > looked.length };
};
