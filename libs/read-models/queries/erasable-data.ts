import { issuedReference } from '@app/card-registration';
import type { OrderKeyId, OrderSealer, ServiceDigests } from '@app/card-vault';
import type { AgedErasableData, AgedOrder, ErasableDataReader, Obstacle, ErasableData } from '@app/investigation/erasure';
import { readChained, type AnyEvent, type EventStore, type FieldEntry, type StreamName } from '@app/event-store';
import type { CardHandle, CardRefId, Clock, Instant, MerchantLogin, Sealed } from '@app/kernel';
import type { ReceivingCard } from '@app/orders/events';
import { foldOrderStatus, type OrderEvent } from '../order-status/order-status.fold';
import { logEventOf } from '../engine/log-event';
import type { CardReferenceQueries } from '../card-reference/card-reference.queries';
import type { OrderStatusView } from '../order-status/order-status.view';
import type { ReconciliationCaseQueries } from '../reconciliation/reconciliation-case.queries';
import { deliveryRecords } from './delivery-records';
import { decodeAny, EVENT_CODECS } from './event-codecs';

export interface ErasableDataPorts {
  readonly log: Pick<EventStore, 'read'>;
  readonly readModel: {
    readonly cardReferences: Pick<CardReferenceQueries, 'byCard'>;
    readonly reconciliationCases: Pick<ReconciliationCaseQueries, 'list'>;
  };
  readonly sealer: Pick<OrderSealer, 'keyOf'>;
  /** Absent without the key ring. References that are not projected yet are then missed. */
  readonly digests?: Pick<ServiceDigests, 'cardRefId'>;
  readonly clock: Clock;
}

/** An unanswered chargeback counts as closed after this time: no scheme takes a dispute further. */
export const DISPUTE_OPEN_MS = 540 * 24 * 60 * 60 * 1_000;
const REFERENCES_MAX = 1_000;
const OPEN_CASES_MAX = 1_000;
const TEXTS_MAX = 1_000;
/** An operator's grounds are evidence and are kept. */
const KEPT_FIELDS: ReadonlySet<string> = new Set(['reason']);

type Held = Pick<ReceivingCard, 'handle' | 'uid'>;
interface Accepted {
  readonly card?: Held;
  readonly destination?: Held;
  readonly cardRefId?: CardRefId;
  readonly destinationCardRefId?: CardRefId;
}

const SEALED_FIELDS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  EVENT_CODECS.flatMap((codec) => codec.describe()).map(({ category, type, fields }) => [
    `${category}.${type}`,
    fields.filter(({ kind, path }: FieldEntry) => kind === 'sealed' && !KEPT_FIELDS.has(path)).map(({ path }) => path),
  ]),
);

/** The sealed texts that belong to the order. A recurrent payment's customer belongs to the order that registered the card. */
const textsOf = (category: string, { type, data }: AnyEvent): readonly Sealed[] =>
  (SEALED_FIELDS_OF.get(`${category}.${type}`) ?? []).flatMap((path): readonly Sealed[] => {
    if (category === 'recurring' && type === 'OrderAccepted' && path === 'customer') return [];
    const text = (data as Readonly<Record<string, unknown>>)[path];
    return typeof text === 'string' ? [text as Sealed] : [];
  });

/** Cards that came with the order. A card given by reference belongs to the order that registered it. */
const cardsOf = ({ card, destination, cardRefId, destinationCardRefId }: Accepted): readonly Held[] => [
  ...(card !== undefined && cardRefId === undefined ? [card] : []),
  ...(destination !== undefined && destinationCardRefId === undefined ? [destination] : []),
];

const isFinal = (status: string): boolean => ['approved', 'declined', 'error', 'filtered'].includes(status);

const hasOpenDispute = ({ reports = [] }: OrderStatusView, clock: Clock): boolean => {
  const latest = new Map<string, { readonly kind: string; readonly receivedAt: number }>();
  for (const report of reports) {
    if (report.misfit !== null || (report.kind !== 'chargeback' && report.kind !== 'representment')) continue;
    latest.set(`${report.gate} ${report.reportId}`, report);
  }
  return [...latest.values()].some(({ kind, receivedAt }) => kind === 'chargeback' && clock.now() < receivedAt + DISPUTE_OPEN_MS);
};

/** A card is valid until the end of the month printed on it. */
const expiryOf = (card: { readonly face: ReceivingCard['face'] } | null): Instant | undefined => {
  const { expiryMonth, expiryYear } = card?.face ?? {};
  return expiryMonth === undefined || expiryYear === undefined ? undefined : (Date.UTC(expiryYear, expiryMonth, 1) as Instant);
};

const agedOf = ({ status, finalAt, card }: OrderStatusView, cards: ErasableData['cards']): AgedOrder | undefined =>
  finalAt === null
    ? undefined
    : {
        isApproved: status === 'approved',
        finalAt,
        cardExpiresAt: expiryOf(card),
        isCardReferred: cards.some(({ references }) => references.length > 0),
      };

/** The order's data in the vault, and the reasons not to destroy them. */
export class StreamErasableData implements ErasableDataReader {
  constructor(private readonly ports: ErasableDataPorts) {}

  async of(stream: StreamName): Promise<AgedErasableData | undefined> {
    const category = stream.slice(0, stream.indexOf('-'));
    const texts = new Set<OrderKeyId>();
    const cards: Held[] = [];
    let view: OrderStatusView | undefined;
    for await (const stored of readChained(this.ports.log, stream)) {
      const event = decodeAny(stored);
      if (event === undefined) return undefined;
      view = foldOrderStatus(view, logEventOf(stored, event as OrderEvent));
      if (event.type === 'OrderAccepted') cards.push(...cardsOf(event.data));
      for (const text of textsOf(category, event)) texts.add(this.ports.sealer.keyOf(text));
      if (texts.size > TEXTS_MAX) throw new Error(`${stream} holds more than ${TEXTS_MAX} sealed texts`);
    }
    if (view === undefined) return undefined;
    const { orderId, merchant } = view;
    const held = await this.#withReferences(view, cards);
    return {
      aged: agedOf(view, held),
      orderStream: stream,
      orderId,
      merchant,
      obstacles: await this.#obstaclesOf(stream, view),
      texts: [...texts],
      cards: held,
    };
  }

  async #obstaclesOf(stream: StreamName, view: OrderStatusView): Promise<readonly Obstacle[]> {
    const { log, clock } = this.ports;
    const obstacles: Obstacle[] = [];
    if (!isFinal(view.status)) obstacles.push('not-final');
    if (view.followUps.some(({ status }) => status === 'processing' || status === 'unknown')) obstacles.push('follow-up-open');
    if ((await deliveryRecords(log, stream)).some(({ nextTryAt }) => nextTryAt !== undefined)) obstacles.push('callback-due');
    if (hasOpenDispute(view, clock)) obstacles.push('dispute-open');
    if (await this.#hasOpenCase(view)) obstacles.push('case-open');
    return obstacles;
  }

  async #hasOpenCase({ merchant, orderId }: OrderStatusView): Promise<boolean> {
    const open = await this.ports.readModel.reconciliationCases.list({ isOpen: true, limit: OPEN_CASES_MAX });
    // If the list was cut, an unread case may concern this order.
    return open.length >= OPEN_CASES_MAX || open.some(({ view: { order } }) => order?.orderId === orderId && order.merchant === merchant);
  }

  /** A recurrent payment can register the card again, so one card may have references from several orders. */
  async #withReferences(view: OrderStatusView, cards: readonly Held[]): Promise<ErasableData['cards']> {
    const { readModel, digests } = this.ports;
    const { merchant, orderId, mapped } = view;
    return Promise.all(
      cards.map(async ({ handle, uid }) => {
        const rows = await readModel.cardReferences.byCard(merchant, uid, REFERENCES_MAX);
        if (rows.length >= REFERENCES_MAX) throw new Error(`${orderId}: its card has ${REFERENCES_MAX} references or more`);
        const named = [
          // The read model may lack the latest references; those of the order itself can be derived.
          ...(digests === undefined ? [] : (['source', 'destination'] as const).map((use) => digests.cardRefId(merchant, orderId, use))),
          ...[mapped?.source, mapped?.destination].filter((one) => one !== undefined && one !== null),
          ...rows.map((row) => row.view.cardRefId),
        ];
        return { handle, references: await this.#livingOf(merchant, handle, [...new Set(named)]) };
      }),
    );
  }

  async #livingOf(merchant: MerchantLogin, handle: CardHandle, named: readonly CardRefId[]): Promise<readonly CardRefId[]> {
    const living: CardRefId[] = [];
    for (const cardRefId of named) {
      const reference = await issuedReference(this.ports.log, merchant, cardRefId);
      if (reference?.card.handle === handle) living.push(cardRefId);
    }
    return living;
  }
}
