import {
  CONTENT_TYPES,
  auditInstant,
  auditInstantOrNull,
  AUDIT_VERSION,
  TRAIL_COLUMNS,
  inFormat,
  LISTED_ORDER_COLUMNS,
  listedOrder,
  questionParts,
  type AuditFormat,
  type ListOrders,
  type ListQuestion,
  type OrderTrails,
} from '@app/audit';
import { configurationInForce } from '@app/configuration-record';
import { readsWithin, type Actor, type EventStore } from '@app/event-store';
import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import { isOrderId, type Clock, type Deadline, type Instant, type MerchantLogin } from '@app/kernel';
import { REVEAL_REASON, type OperatorAudit } from '@app/operator-audit';
import { indexState } from '@app/order-queries';
import { ORDER_STATUS, type ListedRecord, type ProjectionHealth } from '@app/projections';
import { actorOf } from '../operator-access';
import type { ActingOperator } from '../acting-operator';

export interface AuditServicePorts {
  readonly lists: Pick<ListOrders, 'page'>;
  readonly trails: Pick<OrderTrails, 'of'>;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly log: Pick<EventStore, 'subscribe' | 'read'>;
  readonly clock: Clock;
  readonly readModel: { health(): Promise<readonly ProjectionHealth[]> };
  readonly audit: Pick<OperatorAudit, 'answered'>;
}

export interface ListAsked {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly format: AuditFormat;
  readonly deadline: Deadline;
}

export interface TrailAsked {
  /** Where an id names orders of several merchants. */
  readonly merchant: string | undefined;
  readonly format: AuditFormat;
  /** A person's grounds: what is sealed is shown, and the grounds are on record. */
  readonly reveal?: { readonly reason: string };
  readonly deadline: Deadline;
}

export type TrailAnswer =
  | { readonly kind: 'told'; readonly answer: AuditAnswer }
  | { readonly kind: 'unknown-order'; readonly index: string | undefined }
  | { readonly kind: 'ambiguous'; readonly merchants: readonly string[] };

/** A page of an answer in its format. */
export interface AuditAnswer {
  readonly contentType: string;
  readonly body: string;
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

/** More than one is too many. */
const NAMED_MAX = 5;

const byOf = ({ operator, claimedActor }: ActingOperator): Actor => ({
  actor: actorOf(operator),
  ...(claimedActor !== undefined && { claimedActor }),
});

/** What investigators ask; each question is on record before its answer leaves. */
export class AuditService {
  constructor(private readonly ports: AuditServicePorts) {}

  /**
   * @returns undefined where the cursor is of no page of this question
   * @throws StoreUnavailable also where the question cannot be recorded
   */
  async listOrders(
    question: ListQuestion,
    { limit, cursor, format, deadline }: ListAsked,
    acting: ActingOperator,
  ): Promise<AuditAnswer | undefined> {
    const { lists, audit } = this.ports;
    const page = await lists.page(question, { limit, cursor, deadline });
    if (page === undefined) return undefined;
    const { orders, next, isCutShort, digest } = page;
    const index = format === 'json' ? await this.#indexState() : undefined;
    const facts = { next, isCutShort: isCutShort || undefined, index };
    const body = inFormat(format, 'orders', LISTED_ORDER_COLUMNS, orders.map(listedOrder), facts);
    const filters = questionParts(question).map(([name]) => name);
    const { role } = acting.operator;
    await audit.answered(byOf(acting), { query: 'list-orders', role, filters, digest, format, rows: orders.length });
    return { contentType: CONTENT_TYPES[format], body, next };
  }

  /**
   * The trail of an order, by its orderid or its client_orderid. What is revealed is on record, with its grounds, before it is told.
   * @throws StoreUnavailable, VaultUnavailable
   */
  async orderTrail(id: string, { merchant, format, reveal, deadline }: TrailAsked, acting: ActingOperator): Promise<TrailAnswer> {
    const { trails, audit } = this.ports;
    const found = await this.#named(id, merchant as MerchantLogin | undefined, deadline);
    const [order] = found;
    if (order === undefined) return { kind: 'unknown-order', index: await this.#indexState() };
    if (found.length > 1) return { kind: 'ambiguous', merchants: found.map(({ view }) => view.merchant) };
    const trail = await trails.of(order.stream, { isRevealed: reveal !== undefined, deadline });
    if (trail === undefined) return { kind: 'unknown-order', index: undefined };
    const { orderId } = order.view;
    const { entries, revealedTexts, isCutShort } = trail;
    const facts = { orderId, merchant: order.view.merchant, isRevealed: reveal !== undefined, isCutShort: isCutShort || undefined };
    const body = inFormat(format, 'trail', TRAIL_COLUMNS, entries, facts);
    const reason = reveal && (await this.ports.sealer.takeKey(deadline)).seal(order.view.merchant, REVEAL_REASON, reveal.reason);
    await audit.answered(byOf(acting), {
      query: 'order-trail',
      role: acting.operator.role,
      target: orderId,
      filters: [],
      digest: this.ports.digests.onceKey('audit question', ['order-trail', orderId]),
      format,
      rows: entries.length,
      ...(reason !== undefined && { revealed: { texts: revealedTexts, reason } }),
    });
    return { kind: 'told', answer: { contentType: CONTENT_TYPES[format], body, next: undefined } };
  }

  /** Which configuration applied at a moment; undefined where none was on record by then. @throws StoreUnavailable, BrokenChain */
  async configuration(at: Instant | undefined, deadline: Deadline, acting: ActingOperator): Promise<object | undefined> {
    const { log, clock, audit, digests } = this.ports;
    const asked = at ?? clock.now();
    const found = await configurationInForce(readsWithin(log, deadline), asked);
    const filters = at === undefined ? [] : ['at'];
    await audit.answered(byOf(acting), {
      query: 'configuration-in-force',
      role: acting.operator.role,
      filters,
      digest: digests.onceKey('audit question', ['configuration-in-force', ...filters, String(asked)]),
      format: 'json',
      rows: found === undefined ? 0 : 1,
    });
    if (found === undefined) return undefined;
    const { digest, tookEffectAt, keys, copy, omitted = null } = found.data;
    return {
      version: AUDIT_VERSION,
      digest,
      tookEffectAt: auditInstant(tookEffectAt),
      replacedAt: auditInstantOrNull(found.replacedAt ?? null),
      process: found.bootId,
      keys,
      omitted,
      configuration: omitted === null ? (JSON.parse(copy.join('')) as object) : null,
    };
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

  /** Says where the index is behind the log, so that an order may be missing. */
  async #indexState(): Promise<string | undefined> {
    const health = (await this.ports.readModel.health()).find(({ projection }) => projection === ORDER_STATUS);
    const state = await indexState(this.ports.log, health?.position);
    return state === 'level' ? undefined : state;
  }
}
