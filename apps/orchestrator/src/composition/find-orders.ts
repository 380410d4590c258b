import { isCardRefId, isOrderId, type CardRefId, type CardUid, type ClientOrderId, type MerchantLogin } from '@app/kernel';
import { cardReferenceStream, cardRegistrationCodec } from '@app/card-registration';
import { deliveryCodec, deliveryStreamsNamed } from '@app/deliveries';
import { metadataOf, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import type { CardReferenceQueries, OperatorOrderQueries, OrderSearchQueries } from '@app/projections';
import { namedStream, streamsOfEachKind } from './order-stream';

/** What an identifier can be to an order. */
export type FoundBy = 'orderid' | 'client_orderid' | 'card reference' | 'card' | 'delivery' | 'serial number, receipt or gate reference';

export interface FoundOrder {
  readonly stream: StreamName;
  readonly by: readonly FoundBy[];
}

/** What is searched: the log for all that names a stream by itself, the read model for the rest. */
export interface SearchPlaces {
  readonly log: Pick<EventStore, 'read'>;
  /** Undefined where it was never built: only what names a stream is found then. */
  readonly readModel:
    | {
        readonly cardReferences: Pick<CardReferenceQueries, 'byCard'>;
        readonly search: Pick<OrderSearchQueries, 'streamsNamed'>;
        readonly operatorOrders: Pick<OperatorOrderQueries, 'byOrderId'>;
      }
    | undefined;
  /** Whose orders are looked among. */
  readonly merchants: readonly MerchantLogin[];
}

const CARD_REFERENCES_MAX = 100;
/** Streams that are looked into at the same time. */
const LOOKS_AT_ONCE = 64;

const firstOf = async (log: SearchPlaces['log'], stream: StreamName): Promise<StoredEvent | undefined> => {
  for await (const stored of log.read(stream)) return stored;
  return undefined;
};

const lookInto = async <Found>(
  log: SearchPlaces['log'],
  streams: readonly StreamName[],
  take: (first: StoredEvent) => Found | undefined,
): Promise<readonly Found[]> => {
  const found: Found[] = [];
  for (let from = 0; from < streams.length; from += LOOKS_AT_ONCE) {
    const firsts = await Promise.all(streams.slice(from, from + LOOKS_AT_ONCE).map((stream) => firstOf(log, stream)));
    found.push(...firsts.flatMap((first) => (first === undefined ? [] : (take(first) ?? []))));
  }
  return found;
};

const byClientOrderId = ({ log, merchants }: SearchPlaces, text: string): Promise<readonly StreamName[]> =>
  lookInto(
    log,
    merchants.flatMap((merchant) => streamsOfEachKind(merchant, text as ClientOrderId)),
    ({ stream }) => stream,
  );

/** The order that registered the card. */
const byCardReference = ({ log, merchants }: SearchPlaces, cardRefId: CardRefId): Promise<readonly StreamName[]> =>
  lookInto(
    log,
    merchants.map((merchant) => cardReferenceStream(merchant, cardRefId)),
    (first) => {
      const { merchant, orderKind, clientOrderId } = cardRegistrationCodec.decode(first).data;
      return namedStream(orderKind, merchant, clientOrderId);
    },
  );

/** Orders that registered this card, by `unq-card-ref-id`. */
const byCard = async ({ merchants, readModel }: SearchPlaces, text: string): Promise<readonly StreamName[]> => {
  const found: StreamName[] = [];
  for (const merchant of merchants) {
    const references = (await readModel?.cardReferences.byCard(merchant, text as CardUid, CARD_REFERENCES_MAX)) ?? [];
    found.push(...references.map(({ view }) => namedStream(view.orderKind, merchant, view.clientOrderId)));
  }
  return found;
};

const byDelivery = (places: SearchPlaces, text: string): Promise<readonly StreamName[]> =>
  lookInto(places.log, deliveryStreamsNamed(text), (first) => deliveryCodec.decode(first).data.orderStream);

const byIdentifier = async ({ log, readModel, merchants }: SearchPlaces, text: string): Promise<readonly StreamName[]> => {
  const wanted = new Set<string>(merchants);
  const named = (await readModel?.search.streamsNamed(text)) ?? [];
  return lookInto(log, named, (first) => (wanted.has(metadataOf(first).merchant) ? first.stream : undefined));
};

/**
 * The orders that an identifier of any kind names: orderid, client_orderid, cardrefid, `unq-card-ref-id`, the id of a delivery or webhook, the
 * serial-number of a request, a receipt id, a gate's transaction id or reference number. For an operator: across the merchants given.
 */
export const findOrders = async (places: SearchPlaces, text: string): Promise<readonly FoundOrder[]> => {
  const { merchants, readModel } = places;
  const found = new Map<StreamName, FoundBy[]>();
  const note = (by: FoundBy, streams: readonly StreamName[]): void => {
    for (const stream of streams) {
      const known = found.get(stream);
      if (known === undefined) found.set(stream, [by]);
      else if (!known.includes(by)) known.push(by);
    }
  };
  if (isOrderId(text)) {
    const row = await readModel?.operatorOrders.byOrderId(merchants, text);
    if (row !== undefined) note('orderid', [row.stream]);
  }
  note('client_orderid', await byClientOrderId(places, text));
  if (isCardRefId(text)) note('card reference', await byCardReference(places, text));
  note('card', await byCard(places, text));
  note('delivery', await byDelivery(places, text));
  note('serial number, receipt or gate reference', await byIdentifier(places, text));
  return [...found].map(([stream, by]) => ({ stream, by }));
};
