import type { OrderSealer } from '@app/card-vault';
import { assertInTime, BrokenChain, readsWithin, UndecodableEvent, type EventStore, type StreamName } from '@app/event-store';
import type { CardUid, Deadline, Instant, MerchantLogin } from '@app/kernel';
import { orderSummary } from '@app/read-models/queries';
import { NAMED_STREAMS_MAX, type OrderStatusView, type ReadModel } from '@app/read-models';
import { datedEvents, eventsAsOf, type DatedEvent } from '../as-of/dated-events';
import { orderHistory } from '../as-of/order-history';
import { viewAfter } from '../as-of/order-state';
import { consumerOf, matchOf, sealedConsumer, type Consumer, type ConsumerMatch } from './consumer';

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

/** References under which one merchant registered one card before: the newest of them are looked at. */
export const REFERENCES_MAX = 1_000;
/** Orders of one card, of all merchants, among which the newest are looked for. */
export const NAMED_MAX = 2_000;

interface OrdersOfCardAsked {
  readonly merchant: MerchantLogin;
  readonly uid: CardUid;
  /** Only what was there before is told, the newest of it. */
  readonly before: Instant;
  readonly limit: number;
}

/** Finds the orders that a merchant had of a card before another, by the card itself and by every reference to it. */
export const ordersOfCard = async (
  { search, cardReferences, orderList }: ReadModel,
  { merchant, uid, before, limit }: OrdersOfCardAsked,
  deadline?: Deadline,
): Promise<{ readonly streams: readonly StreamName[]; readonly isCut: boolean }> => {
  // Only what was there before the order counts, so that a pack that is made again is the same however often the card is registered since.
  const issued = await cardReferences.byCard(merchant, uid, REFERENCES_MAX + 1, before);
  const references = issued.slice(0, REFERENCES_MAX);
  let isCut = issued.length > REFERENCES_MAX;
  const named = new Set<StreamName>();
  for (const identifier of [uid, ...references.map(({ view }) => view.cardRefId)]) {
    assertInTime(deadline);
    const streams = await search.streamsNamed(identifier, { limit: NAMED_MAX + 1, ...(deadline !== undefined && { deadline }) });
    isCut ||= streams.length > NAMED_MAX;
    for (const stream of streams.slice(0, NAMED_MAX)) named.add(stream);
  }
  const all = [...named];
  const found: { readonly stream: StreamName; readonly at: Instant }[] = [];
  for (let from = 0; from < all.length; from += NAMED_STREAMS_MAX) {
    const streams = all.slice(from, from + NAMED_STREAMS_MAX);
    const page = await orderList.page(
      { merchant, createdTo: before },
      { limit: streams.length, named: { streams }, ...(deadline !== undefined && { deadline }) },
    );
    found.push(...page.orders.map(({ stream, view }) => ({ stream, at: view.acceptedAt })));
  }
  // Streams of one moment by their names: whoever asks again gets the same.
  found.sort((a, b) => b.at - a.at || (a.stream < b.stream ? -1 : 1));
  return { streams: found.slice(0, limit).map(({ stream }) => stream), isCut: isCut || found.length > limit };
};

export interface EarlierOrderSources {
  readonly log: EventStore;
  readonly readModel: ReadModel;
  readonly vault: OrderSealer;
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
  { log, vault, readModel }: EarlierOrderSources,
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
  const asked = { merchant, uid: card.uid, before: acceptedAt, limit: ORDERS_LOOKED_AT_MAX + 1 };
  const ofCard = await ordersOfCard(readModel, asked, deadline);
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
    const theirs = consumer && (await consumerOf(vault, sealedConsumer(then, history), deadline));
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
