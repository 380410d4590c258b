import type { OrderSealer } from '@app/card-vault';
import type { Deadline, MerchantLogin, Sealed, CardUid, Instant } from '@app/kernel';
import { orderTexts } from '@app/orders';
import { ADDRESS_SEPARATOR, SEALED_FIELDS } from '@app/orders/domain';
import { type OrderStatusView, NAMED_STREAMS_MAX, type ReadModel } from '@app/read-models';
import { assertInTime, BrokenChain, readsWithin, UndecodableEvent, type EventStore, type StreamName } from '@app/event-store';
import { orderSummary } from '@app/read-models/queries';
import { type DatedEvent, datedEvents, eventsAsOf, orderHistory, viewAfter } from '../as-of/dated-events';
import { shownText } from '../orders/sealed-texts';

interface SealedConsumer {
  readonly merchant: MerchantLogin;
  readonly customer: Sealed;
  readonly details: Sealed;
  readonly device?: Sealed;
}

/** The state contains the payer's texts, the acceptance those of the device. */
export const sealedConsumer = (
  { merchant, customer, details }: Pick<OrderStatusView, 'merchant' | 'customer' | 'details'>,
  history: readonly DatedEvent[],
): SealedConsumer => {
  const accepted = history[0]?.logEvent.event.data as { readonly device?: Sealed } | undefined;
  return { merchant, customer, details, ...(accepted?.device !== undefined && { device: accepted.device }) };
};

/** Fields that card schemes ask for. Date of birth, government ids and secrets of a request stay sealed. */
const SHOWN = {
  customer: ['holder', 'firstName', 'lastName', 'email', 'phone', 'cellPhone', 'country', 'state', 'city', 'zipCode', 'address1'],
  details: ['description', 'ipAddress', 'siteUrl', 'purpose'],
  device: ['serialNumber', 'imei', 'ipAddresses', 'latitude', 'longitude', 'street2'],
} as const;

type Part = keyof typeof SHOWN;
type Name = (typeof SHOWN)[Part][number];

export type Consumer = Readonly<Partial<Record<Name, string>>>;

/**
 * Unseals the consumer data that a pack may contain; undefined if the order's key was erased.
 * @throws VaultUnavailable
 */
export const consumerOf = async (sealer: OrderSealer, order: SealedConsumer, deadline?: Deadline): Promise<Consumer | undefined> => {
  const shown: [string, string][] = [];
  let texts = 0;
  for (const part of ['customer', 'details', 'device'] as const) {
    const sealed = order[part];
    if (sealed === undefined) continue;
    const unsealed = await orderTexts(sealer, { merchant: order.merchant, field: SEALED_FIELDS[part], sealed, deadline });
    texts += unsealed.size;
    for (const name of SHOWN[part]) {
      const text = unsealed.get(name);
      if (text !== undefined) shown.push([name, shownText(name, text)]);
    }
  }
  return texts === 0 ? undefined : Object.fromEntries(shown);
};

const isSame = (...texts: readonly (string | undefined)[]): boolean => texts[0] !== undefined && texts[0] !== '' && texts[0] === texts[1];
const folded = (text: string | undefined): string | undefined => text?.trim().toLowerCase();
const addressesOf = ({ ipAddress, ipAddresses }: Consumer): readonly string[] => [
  ...(ipAddress === undefined || ipAddress === '' ? [] : [ipAddress]),
  ...(ipAddresses?.split(ADDRESS_SEPARATOR) ?? []),
];

/** Common data of two orders that schemes accept as proof of the same person. */
interface ConsumerMatch {
  readonly ipAddress: boolean;
  readonly device: boolean;
  readonly email: boolean;
  readonly address: boolean;
}

export const matchOf = (a: Consumer, b: Consumer): ConsumerMatch => ({
  ipAddress: addressesOf(a).some((address) => addressesOf(b).includes(address)),
  device: isSame(a.serialNumber, b.serialNumber) || isSame(a.imei, b.imei),
  email: isSame(folded(a.email), folded(b.email)),
  address:
    isSame(folded(a.address1), folded(b.address1)) && isSame(folded(a.zipCode), folded(b.zipCode)) && folded(a.city) === folded(b.city),
});

interface EarlierOrder {
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly acceptedAt: string;
  readonly amount: string;
  readonly currency: string;
  /** Null if the personal data of either order were erased. */
  readonly sameAs: ConsumerMatch | null;
}

export interface EarlierOrders {
  /** Approved before the order, and undisputed at the pack's time (`at` of its manifest); the newest first. */
  readonly orders: readonly EarlierOrder[];
  /** Number of the card's earlier orders that were checked. */
  readonly looked: number;
  /** Number of further orders with a damaged or unreadable record. `orch log verify` reports the cause. */
  readonly unreadable: number;
  /** True if the card has more orders or references than one pack covers. */
  readonly isCut: boolean;
}

export const REFERENCES_MAX = 1_000;
export const NAMED_MAX = 2_000;

interface OrdersOfCardAsked {
  readonly merchant: MerchantLogin;
  readonly uid: CardUid;
  readonly before: Instant;
  readonly limit: number;
}

/** A merchant's orders of a card before another order, found by the card and by every reference to it. */
export const ordersOfCard = async (
  { search, cardReferences, orderList }: ReadModel,
  { merchant, uid, before, limit }: OrdersOfCardAsked,
  deadline?: Deadline,
): Promise<{ readonly streams: readonly StreamName[]; readonly isCut: boolean }> => {
  // Only references issued before the order count, so that later registrations do not change a repeated pack.
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
  // Equal times are ordered by stream name, so that the result is deterministic.
  found.sort((a, b) => b.at - a.at || (a.stream < b.stream ? -1 : 1));
  return { streams: found.slice(0, limit).map(({ stream }) => stream), isCut: isCut || found.length > limit };
};

export interface EarlierOrderSources {
  readonly log: EventStore;
  readonly readModel: ReadModel;
  readonly vault: OrderSealer;
}

/** Schemes ask for two to five. The limit bounds the work for a card that pays daily. */
const ORDERS_LOOKED_AT_MAX = 200;

const isDisputed = ({ reports = [] }: OrderStatusView): boolean =>
  reports.some(({ kind, misfit }) => misfit === null && (kind === 'chargeback' || kind === 'fraud-warning'));

/** Undefined if the order's record is unreadable: another order's damage must not prevent evidence of this one. */
const readableHistory = async (log: Pick<EventStore, 'read'>, stream: StreamName): Promise<readonly DatedEvent[] | undefined> => {
  try {
    return datedEvents(await orderHistory(log, stream));
  } catch (error) {
    if (error instanceof BrokenChain || error instanceof UndecodableEvent) return undefined;
    throw error;
  }
};

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
