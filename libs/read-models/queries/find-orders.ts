import { isCardRefId, isOrderId, type CardRefId, type CardUid, type ClientOrderId, type Deadline, type MerchantLogin } from '@app/kernel';
import { cardReferenceStream, cardRegistrationCodec } from '@app/card-registration';
import { deliveryCodec, deliveryStreamsNamed } from '@app/callbacks';
import {
  assertInTime,
  BrokenChain,
  metadataOf,
  readChained,
  readsWithin,
  UndecodableEvent,
  type EventStore,
  type StoredEvent,
  type StreamName,
} from '@app/event-store';
import { collectIdentifiers, REPORT_WORDS } from '../order-list/order-search.fold';
import type { CardReferenceQueries } from '../card-reference/card-reference.queries';
import type { OperatorOrderQueries } from '../order-status/operator-orders.queries';
import type { OrderSearchQueries } from '../order-list/order-search.queries';
import { decodeAny } from './event-codecs';
import { namedStream, streamsOfEachKind } from './order-stream';

export type FoundBy =
  'orderid' | 'client_orderid' | 'card reference' | 'card' | 'delivery' | 'kind of report' | 'serial number, receipt or gate reference';

export interface FoundOrder {
  readonly stream: StreamName;
  readonly by: readonly FoundBy[];
}

export interface SearchSources {
  readonly log: Pick<EventStore, 'read'>;
  /** Undefined if it was never built; then only stream names can be found. */
  readonly readModel:
    | {
        readonly cardReferences: Pick<CardReferenceQueries, 'byCard'>;
        readonly search: Pick<OrderSearchQueries, 'streamsNamed'>;
        readonly operatorOrders: Pick<OperatorOrderQueries, 'byOrderId' | 'ofMerchants'>;
      }
    | undefined;
  readonly merchants: readonly MerchantLogin[];
  /** Then a page, its end included, shows nothing of other merchants’ orders, however many have the identifier. */
  readonly isLimited?: boolean;
}

interface Sources extends SearchSources {
  readonly deadline: Deadline | undefined;
}

/** Limit on references per card; results report if a card has more. */
export const CARD_REFERENCES_MAX = 500;
const READS_AT_ONCE = 64;

const firstOf = async (log: SearchSources['log'], stream: StreamName): Promise<StoredEvent | undefined> => {
  for await (const stored of readChained(log, stream)) return stored;
  return undefined;
};

const firstEventsOf = async <Found>(
  log: SearchSources['log'],
  streams: readonly StreamName[],
  pick: (first: StoredEvent) => Found | undefined,
): Promise<readonly Found[]> => {
  const found: Found[] = [];
  for (let from = 0; from < streams.length; from += READS_AT_ONCE) {
    const firsts = await Promise.all(streams.slice(from, from + READS_AT_ONCE).map((stream) => firstOf(log, stream)));
    found.push(...firsts.flatMap((first) => (first === undefined ? [] : (pick(first) ?? []))));
  }
  return found;
};

const byClientOrderId = ({ log, merchants }: SearchSources, text: string): Promise<readonly StreamName[]> =>
  firstEventsOf(
    log,
    merchants.flatMap((merchant) => streamsOfEachKind(merchant, text as ClientOrderId)),
    ({ stream }) => stream,
  );

export const ordersOfCardReference = (
  log: SearchSources['log'],
  merchants: readonly MerchantLogin[],
  cardRefId: CardRefId,
): Promise<readonly StreamName[]> =>
  firstEventsOf(
    log,
    merchants.map((merchant) => cardReferenceStream(merchant, cardRefId)),
    (first) => {
      const event = cardRegistrationCodec.decode(first);
      if (event.type !== 'CardReferenceIssued') return undefined;
      const { merchant, orderKind, clientOrderId } = event.data;
      return namedStream(orderKind, merchant, clientOrderId);
    },
  );

interface CardReferences {
  readonly references: readonly { readonly cardRefId: CardRefId; readonly order: StreamName }[];
  readonly isCut: boolean;
}

/** References to a card, by `unq-card-ref-id`, with the orders that registered them, newest first for each merchant. */
const referencesOf = async ({ merchants, readModel, deadline }: Sources, text: string): Promise<CardReferences> => {
  const references: CardReferences['references'][number][] = [];
  let isCut = false;
  for (const merchant of merchants) {
    assertInTime(deadline);
    const room = CARD_REFERENCES_MAX - references.length;
    const rows = (await readModel?.cardReferences.byCard(merchant, text as CardUid, room + 1)) ?? [];
    isCut ||= rows.length > room;
    for (const { view } of rows.slice(0, room))
      references.push({ cardRefId: view.cardRefId, order: namedStream(view.orderKind, merchant, view.clientOrderId) });
  }
  return { references, isCut };
};

const byDelivery = (sources: SearchSources, text: string): Promise<readonly StreamName[]> =>
  firstEventsOf(sources.log, deliveryStreamsNamed(text), (first) =>
    sources.merchants.some((login) => login === metadataOf(first).merchant) ? deliveryCodec.decode(first).data.orderStream : undefined,
  );

interface IndexCursor {
  readonly identifier: string;
  readonly from: StreamName;
}

const SEPARATOR = ' ';
export const FOUND_LIMIT_DEFAULT = 100;
export const FOUND_LIMIT_MAX = 1_000;
const CURSOR = /^[A-Za-z0-9_-]{1,600}$/;

const cursorOf = ({ identifier, from }: IndexCursor): string => Buffer.from(`${identifier}${SEPARATOR}${from}`).toString('base64url');

const indexCursorOf = (cursor: string): IndexCursor | undefined => {
  const text = CURSOR.test(cursor) ? Buffer.from(cursor, 'base64url').toString('utf8') : '';
  const gap = text.lastIndexOf(SEPARATOR);
  return gap <= 0 ? undefined : { identifier: text.slice(0, gap), from: text.slice(gap + 1) as StreamName };
};

/**
 * A card's id names only orders that contain the card itself. Orders paid by reference are indexed under the reference.
 */
const identifiersOf = (text: string, { references }: CardReferences): readonly string[] => [
  text,
  ...new Set(references.map(({ cardRefId }) => cardRefId).sort()),
];

/** Sorts between a stream's name and the next one: no name contains `!` or is a prefix of another. */
const behind = (stream: StreamName): StreamName => `${stream}!` as StreamName;

interface IndexPage {
  readonly streams: readonly StreamName[];
  readonly next: string | undefined;
}

/** Entries to examine at a time, most of which may be of other merchants. */
const LIMITED_BATCH = 1_000;

const NOTHING: IndexPage = { streams: [], next: undefined };

const byIndex = async (
  sources: Sources,
  identifiers: readonly string[],
  limit: number,
  at: IndexCursor | undefined,
): Promise<IndexPage> => {
  const { readModel, deadline, merchants, isLimited = false } = sources;
  if (readModel === undefined) return NOTHING;
  const until = deadline && { deadline };
  const [own = ''] = identifiers;
  const streams: StreamName[] = [];
  const start = at === undefined ? 0 : identifiers.indexOf(at.identifier);
  if (start < 0) return NOTHING;
  for (const identifier of identifiers.slice(start)) {
    let from = identifier === at?.identifier ? at.from : undefined;
    for (let isWhole = false; !isWhole;) {
      const wanted = Math.max(limit + 1 - streams.length, isLimited ? LIMITED_BATCH : 0);
      const named = await readModel.search.streamsNamed(identifier, { ...(from !== undefined && { from }), limit: wanted, ...until });
      const seen = isLimited ? await readModel.operatorOrders.ofMerchants(merchants, named) : undefined;
      for (const stream of named) {
        from = behind(stream);
        if (seen?.has(stream) === false) continue;
        if (streams.length === limit) return { streams, next: cursorOf({ identifier, from: stream }) };
        const [known] = identifier === own ? [] : await readModel.search.streamsNamed(own, { from: stream, limit: 1, ...until });
        if (known !== stream && !streams.includes(stream)) streams.push(stream);
      }
      isWhole = named.length < wanted;
    }
  }
  return { streams, next: undefined };
};

/**
 * Checks the order's own stream, because index entries have no checksum. An unreadable stream counts as a match, so
 * that the caller learns of the fault.
 */
const isNamed = async (
  log: SearchSources['log'],
  stream: StreamName,
  merchants: ReadonlySet<string>,
  identifiers: ReadonlySet<string>,
): Promise<boolean> => {
  let isOfMerchant = false;
  let isTold = false;
  try {
    for await (const stored of readChained(log, stream)) {
      const metadata = metadataOf(stored);
      isOfMerchant ||= merchants.has(metadata.merchant);
      if (!isOfMerchant) return false;
      const event = decodeAny(stored);
      if (event !== undefined) collectIdentifiers({ event, metadata }, (identifier) => (isTold ||= identifiers.has(identifier)));
      if (isTold) return true;
    }
    return false;
  } catch (error) {
    if (isOfMerchant && (error instanceof BrokenChain || error instanceof UndecodableEvent)) return true;
    throw error;
  }
};

const confirmedByLog = async (
  { log, merchants }: SearchSources,
  streams: readonly StreamName[],
  identifiers: readonly string[],
): Promise<readonly StreamName[]> => {
  const [wanted, named] = [new Set<string>(merchants), new Set(identifiers)];
  const found: StreamName[] = [];
  for (let from = 0; from < streams.length; from += READS_AT_ONCE) {
    const some = streams.slice(from, from + READS_AT_ONCE);
    const answers = await Promise.all(some.map((stream) => isNamed(log, stream, wanted, named)));
    found.push(...some.filter((_stream, index) => answers[index] === true));
  }
  return found;
};

export interface FoundPage {
  readonly found: readonly FoundOrder[];
  readonly next: string | undefined;
  /** If true, orders of the card's other references are on no page. */
  readonly areReferencesCut: boolean;
}

/**
 * @param after the previous page's `next`; an unknown text gives no page
 * @throws StoreUnavailable also if the deadline has passed
 */
export const findPage = async (
  { log, ...others }: SearchSources,
  text: string,
  { limit = FOUND_LIMIT_DEFAULT, after, deadline }: { readonly limit?: number; readonly after?: string; readonly deadline?: Deadline } = {},
): Promise<FoundPage | undefined> => {
  const sources: Sources = { log: readsWithin(log, deadline), ...others, deadline };
  const { merchants, readModel } = sources;
  const at = after === undefined ? undefined : indexCursorOf(after);
  if (after !== undefined && at === undefined) return undefined;
  const found = new Map<StreamName, FoundBy[]>();
  const note = (by: FoundBy, streams: readonly StreamName[]): void => {
    for (const stream of streams) {
      const known = found.get(stream);
      if (known === undefined) found.set(stream, [by]);
      else if (!known.includes(by)) known.push(by);
    }
  };
  const card = await referencesOf(sources, text);
  const identifiers = identifiersOf(text, card);
  // Identifiers that match few orders fit on the first page.
  if (at === undefined) {
    if (isOrderId(text)) {
      const row = await readModel?.operatorOrders.byOrderId(merchants, text);
      if (row !== undefined) note('orderid', [row.stream]);
    }
    note('client_orderid', await byClientOrderId(sources, text));
    if (isCardRefId(text)) note('card reference', await ordersOfCardReference(sources.log, merchants, text));
    note(
      'card',
      card.references.map(({ order }) => order),
    );
    note('delivery', await byDelivery(sources, text));
  }
  const { streams, next } = await byIndex(sources, identifiers, limit, at);
  note(indexedAs(text, identifiers), await confirmedByLog(sources, streams, identifiers));
  return { found: [...found].map(([stream, by]) => ({ stream, by })), next, areReferencesCut: card.isCut };
};

/** No other indexed identifier has this length and alphabet. */
const CARD_UID = /^u[a-z2-9]{19}$/;
const KINDS_OF_REPORT: ReadonlySet<string> = new Set(Object.values(REPORT_WORDS));
const indexedAs = (text: string, identifiers: readonly string[]): FoundBy => {
  if (identifiers.length > 1 || CARD_UID.test(text)) return 'card';
  if (KINDS_OF_REPORT.has(text)) return 'kind of report';
  return isCardRefId(text) ? 'card reference' : 'serial number, receipt or gate reference';
};

/**
 * Finds the given merchants' orders by any identifier that an operator may have, or by the kind of a gate's report. For
 * a card or a reference to it, returns the first page.
 */
export const findOrders = async (sources: SearchSources, text: string): Promise<readonly FoundOrder[]> =>
  (await findPage(sources, text))?.found ?? [];
