import type { OrderSealer } from '@app/card-vault';
import { BrokenChain, readsWithin, UndecodableEvent, type EventStore, type StreamName } from '@app/event-store';
import type { CardUid, Deadline, Instant, MerchantLogin } from '@app/kernel';
import { orderSummary } from '@app/read-models/queries';
import type { OrderStatusView } from '@app/read-models';
import { datedEvents, eventsAsOf, type DatedEvent } from '../as-of/dated-events';
import { orderHistory } from '../as-of/order-history';
import { viewAfter } from '../as-of/order-state';
import { consumerOf, matchOf, type Consumer, type ConsumerMatch } from './consumer';
import { sealedConsumer } from './sealed-consumer';

/** An earlier order of the same card, as a scheme takes it for evidence. */
interface EarlierOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly acceptedAt: string;
  readonly amount: string;
  readonly currency: string;
  /** Null where the personal data of either order were erased. */
  readonly sameAs: ConsumerMatch | null;
}

export interface EarlierOrders {
  /** Approved before the order, and undisputed at the time that the pack is as of (`at` of its manifest); the newest first. */
  readonly orders: readonly EarlierOrder[];
  /** Orders of the card that were accepted before it and looked at. */
  readonly looked: number;
  /** Further orders of the card whose record cannot be read or was changed: nothing is told of them, and `orch log verify` names what is wrong. */
  readonly unreadable: number;
  /** True where the card has more orders, or more references, than are looked at for one pack. */
  readonly isCut: boolean;
}

export interface EarlierOrdersPorts {
  readonly log: Pick<EventStore, 'read'>;
  readonly sealer: Pick<OrderSealer, 'unseal'>;
  /** Streams of the orders of a merchant that were paid with a card, by reference or not, before a time: the newest of them, at most `limit`, and whether there are more. */
  readonly ordersOfCard: (
    card: { readonly merchant: MerchantLogin; readonly uid: CardUid; readonly before: Instant },
    limit: number,
    deadline?: Deadline,
  ) => Promise<{ readonly streams: readonly StreamName[]; readonly isCut: boolean }>;
}

/** Schemes ask for two to five; a card that pays daily must not make a pack that never ends. */
const ORDERS_LOOKED_AT_MAX = 200;

const isDisputed = ({ reports = [] }: OrderStatusView): boolean =>
  reports.some(({ kind, misfit }) => misfit === null && (kind === 'chargeback' || kind === 'fraud-warning'));

/** Undefined where the order's record cannot be read: what is wrong with another order is no reason to have no evidence of this one. */
const readableHistory = async (log: Pick<EventStore, 'read'>, stream: StreamName): Promise<readonly DatedEvent[] | undefined> => {
  try {
    return datedEvents(await orderHistory(log, stream));
  } catch (error) {
    if (error instanceof BrokenChain || error instanceof UndecodableEvent) return undefined;
    throw error;
  }
};

/** @throws what store and vault throw */
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
  if (view.card === null) return { orders: [], looked: 0, unreadable: 0, isCut: false };
  const { merchant, card, acceptedAt } = view;
  const asked = { merchant, uid: card.uid, before: acceptedAt };
  const ofCard = await ordersOfCard(asked, ORDERS_LOOKED_AT_MAX + 1, deadline);
  const streams = ofCard.streams.filter((other) => other !== stream);
  const found: (EarlierOrder & { readonly at: Instant })[] = [];
  let [looked, unreadable] = [0, 0];
  for (const other of streams.slice(0, ORDERS_LOOKED_AT_MAX)) {
    const history = await readableHistory(readsWithin(log, deadline), other);
    if (history === undefined) {
      unreadable += 1;
      continue;
    }
    const then = viewAfter(eventsAsOf(history, { kind: 'known-at', at }));
    if (then === undefined || then.merchant !== merchant || then.acceptedAt >= acceptedAt) continue;
    looked += 1;
    if (then.status !== 'approved' || isDisputed(then)) continue;
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
  return { orders, looked, unreadable, isCut: ofCard.isCut || streams.length > ORDERS_LOOKED_AT_MAX };
};
