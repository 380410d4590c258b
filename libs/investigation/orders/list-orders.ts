import {
  type OrderListFilter,
  KINDED_IDENTIFIERS,
  LOOKED_AT_MAX,
  NAMED_STREAMS_MAX,
  type CardReferenceQueries,
  type Carried,
  type ListAsked,
  type ListedRecord,
  type Named,
  type OperatorOrderQueries,
  type OrderListPage,
  type OrderListQueries,
  type OrderSearchQueries,
  type ListCursor,
} from '@app/read-models';
import {
  isCardRefId,
  isOrderId,
  type CardUid,
  type ClientOrderId,
  type Deadline,
  type MerchantLogin,
  type OrderId,
  type Instant,
} from '@app/kernel';
import type { Accounts, Operator } from '@app/configuration';
import { emailDigest, type ServiceDigests } from '@app/card-vault';
import { assertInTime, type EventStore, type StreamName } from '@app/event-store';
import { ordersOfCardReference, streamsOfEachKind } from '@app/read-models/queries';
import { merchantsAsked } from '../operator/operator-access';
import { type Notice, fitsNotice, withinNotice } from './notice';

/** Each identifier narrows the list further. */
export const IDENTIFIER_KINDS = [
  'order',
  'clientOrderId',
  'invoiceId',
  'correlation',
  'cardReference',
  'card',
  'receipt',
  'rrn',
  'reference',
  'approvalCode',
  'cardMask',
  'lastFour',
  'email',
  'operator',
] as const;
type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];
export type Identifiers = Readonly<Partial<Record<IdentifierKind, string>>>;

export interface ListQuestion {
  readonly filter: OrderListFilter;
  readonly identifiers: Identifiers;
  readonly notice?: Notice;
}

/** Sorted by name, so that equal queries have equal parts. */
export const questionParts = ({ filter, identifiers, notice }: ListQuestion): readonly (readonly [name: string, value: string])[] =>
  Object.entries({ ...filter, ...identifiers, ...notice })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));

type Digests = Pick<ServiceDigests, 'onceKey'>;

const SEALED = /^([A-Za-z0-9_-]{1,300})\.([0-9a-f]{32})$/;
/** A stream, or an event of it. */
const PLACE = /^(\d{1,16}) ([A-Za-z]{1,64}-[a-z2-7]{1,64}(?:@\d{12})?)$/;
/** 128 bits, which nobody can guess by trying requests. */
const MARK_LENGTH = 32;

/** Keyed digest of a query: identifies equal queries without revealing values. Recorded with the query, and part of each cursor. */
export const questionDigest = (digests: Digests, question: ListQuestion): string =>
  digests.onceKey('audit question', questionParts(question).flat());

const markOf = (digests: Digests, place: string, question: string): string =>
  digests.onceKey('audit cursor', [question, place]).slice(0, MARK_LENGTH);

/** Authenticated position of the next page. */
export const writeCursor = (digests: Digests, { createdAt, stream }: ListCursor, question: string): string => {
  const place = Buffer.from(`${createdAt} ${stream}`).toString('base64url');
  return `${place}.${markOf(digests, place, question)}`;
};

/** Undefined for a cursor that was changed, or belongs to another query or service. */
export const readCursor = (digests: Digests, cursor: string, question: string): ListCursor | undefined => {
  const [, place = '', mark] = SEALED.exec(cursor) ?? [];
  if (mark === undefined || mark !== markOf(digests, place, question)) return undefined;
  const [, createdAt, stream] = PLACE.exec(Buffer.from(place, 'base64url').toString('latin1')) ?? [];
  return createdAt === undefined ? undefined : { createdAt: Number(createdAt) as Instant, stream: stream as StreamName };
};

export interface ListOrdersPorts {
  readonly log: Pick<EventStore, 'read'>;
  readonly readModel: {
    readonly orderList: Pick<OrderListQueries, 'page'>;
    readonly search: Pick<OrderSearchQueries, 'streamsNamed'>;
    readonly cardReferences: Pick<CardReferenceQueries, 'byCard'>;
    readonly operatorOrders: Pick<OperatorOrderQueries, 'byOrderId'>;
  };
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  /** An identifier may name streams of the configured merchants. */
  readonly accounts: Pick<Accounts, 'logins'>;
}

interface ListedOrders {
  readonly orders: readonly ListedRecord[];
  /** The cursor of the next page; undefined after the last one. */
  readonly next: string | undefined;
  /** True if the page is short because of the limit of checked orders; later ones are not checked yet. */
  readonly isCutShort: boolean;
  /** True if a card has more references than are searched: orders by the others are missing. */
  readonly areReferencesCut: boolean;
  readonly digest: string;
}

type NamedBy = ({ readonly streams: readonly StreamName[] } | { readonly carried: Carried }) & { readonly areReferencesCut?: boolean };

export const CARD_REFERENCES_MAX = 500;

const NOTICE_BATCH = 500;
const NOTICE_FIRST_FACTOR = 2;

/** Lists orders of all merchants that the operator may see: only for operators (safety, T11 and T43). */
export class ListOrders {
  constructor(private readonly ports: ListOrdersPorts) {}

  /**
   * @param cursor the `next` of an earlier page
   * @param operator absent for a caller who reads the stores
   * @returns undefined if the cursor belongs to another query
   * @throws StoreUnavailable, also after the deadline
   */
  async page(
    question: ListQuestion,
    {
      limit,
      cursor,
      operator = {},
      deadline,
    }: {
      readonly limit: number;
      readonly cursor?: string | undefined;
      readonly operator?: Pick<Operator, 'merchants'>;
      readonly deadline?: Deadline;
    },
  ): Promise<ListedOrders | undefined> {
    const { digests, readModel } = this.ports;
    const digest = questionDigest(digests, question);
    const after = cursor === undefined ? undefined : readCursor(digests, cursor, digest);
    if (cursor !== undefined && after === undefined) return undefined;
    const { areReferencesCut, ...named } = await this.#named(question, operator, deadline);
    const { filter, notice } = question;
    const asked = { limit, after, named, of: operator.merchants, deadline };
    const page =
      notice === undefined
        ? await readModel.orderList.page(filter, asked)
        : await this.#fitting(notice, withinNotice(filter, notice), asked);
    return { ...page, next: page.next && writeCursor(digests, page.next, digest), areReferencesCut, digest };
  }

  async #fitting(notice: Notice, filter: OrderListFilter, { limit, ...asked }: ListAsked): Promise<OrderListPage> {
    const orders: ListedRecord[] = [];
    let { after } = asked;
    for (let [lookedAt, size] = [0, NOTICE_FIRST_FACTOR * limit]; ; size = NOTICE_BATCH) {
      assertInTime(asked.deadline);
      const page: OrderListPage = await this.ports.readModel.orderList.page(filter, {
        ...asked,
        limit: Math.min(size, NOTICE_BATCH),
        after,
      });
      const [last] = page.orders.slice(-1);
      for (const record of page.orders) {
        if (!fitsNotice(notice, record.view)) continue;
        orders.push(record);
        if (orders.length < limit) continue;
        const isEnd = record === last && page.next === undefined;
        return { orders, next: isEnd ? undefined : { createdAt: record.view.acceptedAt, stream: record.stream }, isCutShort: false };
      }
      lookedAt += page.orders.length;
      after = page.next;
      if (after === undefined) return { orders, next: undefined, isCutShort: false };
      if (page.isCutShort || lookedAt >= LOOKED_AT_MAX) return { orders, next: after, isCutShort: true };
    }
  }

  async #named(
    { filter, identifiers }: ListQuestion,
    operator: Pick<Operator, 'merchants'>,
    deadline: Deadline | undefined,
  ): Promise<Named & { readonly areReferencesCut: boolean }> {
    const merchants = merchantsAsked(operator, this.ports.accounts.logins, filter.merchant);
    let streams: readonly StreamName[] | undefined;
    const carrying: Carried[] = [];
    let areReferencesCut = false;
    for (const [kind, text] of Object.entries(identifiers) as [IdentifierKind, string][]) {
      const named = await this.#namedBy(kind, text, merchants, deadline);
      areReferencesCut ||= named.areReferencesCut === true;
      if ('carried' in named) carrying.push(named.carried);
      else streams = streams === undefined ? named.streams : streams.filter((stream) => named.streams.includes(stream));
    }
    return { ...(streams !== undefined && { streams }), carrying, areReferencesCut };
  }

  async #namedBy(kind: IdentifierKind, text: string, merchants: readonly MerchantLogin[], deadline?: Deadline): Promise<NamedBy> {
    switch (kind) {
      case 'order':
        return { streams: isOrderId(text) ? await this.#byOrderId(text, merchants) : [] };
      case 'clientOrderId':
      case 'invoiceId':
        return { streams: await this.#byClientOrderId(text as ClientOrderId, merchants, deadline) };
      case 'correlation':
      case 'receipt':
      case 'rrn':
      case 'reference':
        return this.#byIndex([text], [], deadline);
      case 'cardReference': {
        if (!isCardRefId(text)) return { streams: [] };
        const registering = await ordersOfCardReference(this.ports.log, merchants, text);
        return this.#byIndex([text], registering, deadline);
      }
      case 'card':
        return this.#byCard(text as CardUid, merchants, deadline);
      case 'approvalCode':
        return this.#byIndex([KINDED_IDENTIFIERS.approvalCode(text)], [], deadline);
      case 'cardMask':
        return this.#byIndex([KINDED_IDENTIFIERS.mask(text.slice(0, -LAST_DIGITS), text.slice(-LAST_DIGITS))], [], deadline);
      case 'lastFour':
        return this.#byIndex([KINDED_IDENTIFIERS.lastFour(text)], [], deadline);
      case 'email':
        return this.#byIndex([KINDED_IDENTIFIERS.email(emailDigest(this.ports.digests, text))], [], deadline);
      case 'operator':
        return this.#byIndex([KINDED_IDENTIFIERS.actor(`operator:${text}`)], [], deadline);
    }
  }

  async #byOrderId(orderId: OrderId, merchants: readonly MerchantLogin[]): Promise<readonly StreamName[]> {
    const row = await this.ports.readModel.operatorOrders.byOrderId(merchants, orderId);
    return row === undefined ? [] : [row.stream];
  }

  /** The merchants' streams of this id that exist, checked in small batches. */
  async #byClientOrderId(
    id: ClientOrderId,
    merchants: readonly MerchantLogin[],
    deadline: Deadline | undefined,
  ): Promise<readonly StreamName[]> {
    const streams = merchants.flatMap((merchant) => streamsOfEachKind(merchant, id));
    if (streams.length <= NAMED_STREAMS_MAX) return streams;
    const found: StreamName[] = [];
    for (let from = 0; from < streams.length && found.length < NAMED_STREAMS_MAX; from += NAMED_STREAMS_MAX) {
      const some = streams.slice(from, from + NAMED_STREAMS_MAX);
      const page: OrderListPage = await this.ports.readModel.orderList.page({}, { limit: some.length, named: { streams: some }, deadline });
      found.push(...page.orders.map(({ stream }) => stream));
    }
    return found.slice(0, NAMED_STREAMS_MAX);
  }

  /** @param known orders found outside the index */
  async #byIndex(identifiers: readonly string[], known: readonly StreamName[], deadline: Deadline | undefined): Promise<NamedBy> {
    const streams = new Set(known);
    for (const identifier of identifiers) {
      const found = await this.ports.readModel.search.streamsNamed(identifier, {
        limit: NAMED_STREAMS_MAX + 1,
        ...(deadline && { deadline }),
      });
      for (const stream of found) streams.add(stream);
      if (streams.size > NAMED_STREAMS_MAX) return { carried: { identifiers, others: known } };
    }
    return { streams: [...streams] };
  }

  async #byCard(card: CardUid, merchants: readonly MerchantLogin[], deadline: Deadline | undefined): Promise<NamedBy> {
    const references = new Set<string>();
    let areReferencesCut = false;
    for (const merchant of merchants) {
      assertInTime(deadline);
      const room = CARD_REFERENCES_MAX - references.size;
      const issued = await this.ports.readModel.cardReferences.byCard(merchant, card, room + 1);
      areReferencesCut ||= issued.length > room;
      for (const { view } of issued.slice(0, room)) references.add(view.cardRefId);
    }
    return { ...(await this.#byIndex([card, ...references], [], deadline)), areReferencesCut };
  }
}

const LAST_DIGITS = 4;
