import { readsWithin, type EventStore } from '@app/event-store';
import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import type { Clock, Deadline, Instant } from '@app/kernel';
import { CONTENT_TYPES, AUDIT_VERSION, inFormat, type AuditFormat } from '../orders/audit-format';
import { auditInstant, auditInstantOrNull } from '../orders/audit-instant';
import { TRAIL_COLUMNS, type TrailEntry } from '../orders/trail-entry';
import { LISTED_ORDER_COLUMNS, listedOrder, type ListedOrder } from '../orders/listed-order';
import { questionParts, type ListQuestion, type ListOrders } from '../orders/list-orders';
import type { OrderTrails } from '../orders/order-trail';
import { configurationInForce, type ConfigurationTookEffect } from '../record/configuration-record';
import { REVEAL_REASON } from '../record/operator-audit.events';
import type { OperatorAudit } from '../record/operator-audit';
import { byOf, type ActingOperator, type QueryAudit } from './operator-access';
import type { IndexGap, OrderLookup, OrderNames, OrderUnnamed } from './order-names';

interface AuditServicePorts {
  readonly lists: Pick<ListOrders, 'page'>;
  readonly trails: Pick<OrderTrails, 'of'>;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly names: Pick<OrderNames, 'one' | 'listState'>;
  readonly log: Pick<EventStore, 'read'>;
  readonly clock: Clock;
  readonly audit: Pick<OperatorAudit, 'answered'>;
  readonly questions: Pick<QueryAudit, 'answered'>;
}

interface ListAsked {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly format: AuditFormat;
  readonly deadline: Deadline;
}

interface TrailAsked extends OrderLookup {
  readonly format: AuditFormat;
  /** An operator's reason: reveals sealed texts, and is recorded. */
  readonly reveal?: { readonly reason: string };
  readonly deadline: Deadline;
}

export type TrailAnswer = { readonly kind: 'told'; readonly answer: AuditAnswer } | OrderUnnamed;

export interface AuditAnswer {
  readonly contentType: string;
  readonly body: string;
  readonly next: string | undefined;
  /** Omissions, in stable words, for formats without a place for them. */
  readonly leftOut: readonly LeftOut[];
  /** Set if the index is behind the log. */
  readonly index: string | undefined;
}

export interface OrderPage {
  /** Increases if a member is removed or changes its meaning. */
  readonly version: number;
  /** Cursor of the next page, if there is one. The header `Audit-Next` contains it, too. */
  readonly next?: string | undefined;
  /** The page ended early because it reached the limit of orders checked; later ones are not checked yet. */
  readonly isCutShort?: true | undefined;
  /** The card has more than 500 references, so some of its orders are not in the list. */
  readonly areReferencesCut?: true | undefined;
  /** The index of orders is behind the log, so that an order may be missing here. */
  readonly index?: IndexGap | undefined;
  readonly orders: readonly ListedOrder[];
}

export interface TrailPage {
  readonly version: number;
  readonly orderId: string;
  readonly merchant: string;
  readonly isRevealed: boolean;
  /** The order has more events than a trail can contain. */
  readonly isCutShort?: true | undefined;
  /** Some queries about the order were left out, since events take precedence. */
  readonly areQuestionsCut?: true | undefined;
  readonly trail: readonly TrailEntry[];
}

export interface ShownConfiguration {
  readonly version: number;
  /** SHA-256 over the redacted copy and the names of the keys. */
  readonly digest: string;
  readonly tookEffectAt: string;
  readonly replacedAt: string | null;
  /** The boot id of the process that started with it or took it. */
  readonly process: string;
  readonly keys: readonly string[];
  /** The reason if there is no copy. */
  readonly omitted: NonNullable<ConfigurationTookEffect['data']['omitted']> | null;
  /** Each key, password and token is replaced by a `keyId`. */
  readonly configuration: object | null;
}

/** Orders by further references of the card; orders not checked yet; events of the order; queries about it. */
type LeftOut = 'references' | 'orders' | 'events' | 'questions';

const leftOutOf = (cuts: Partial<Record<LeftOut, boolean>>): readonly LeftOut[] =>
  (Object.keys(cuts) as LeftOut[]).filter((name) => cuts[name] === true);

/** Investigators' queries. Each is recorded before its answer is sent. */
export class AuditService {
  constructor(private readonly ports: AuditServicePorts) {}

  /**
   * @returns undefined if the cursor belongs to another query
   * @throws StoreUnavailable, also if the query cannot be recorded
   */
  async listOrders(
    question: ListQuestion,
    { limit, cursor, format, deadline }: ListAsked,
    acting: ActingOperator,
  ): Promise<AuditAnswer | undefined> {
    const { lists, audit, clock } = this.ports;
    const page = await lists.page(question, { limit, cursor, operator: acting.operator, deadline });
    if (page === undefined) return undefined;
    const { orders, next, isCutShort, areReferencesCut, digest } = page;
    const index = await this.ports.names.listState(clock.now());
    const facts = {
      next,
      isCutShort: isCutShort || undefined,
      areReferencesCut: areReferencesCut || undefined,
      index,
    } satisfies Omit<OrderPage, 'version' | 'orders'>;
    const body = inFormat(format, 'orders', LISTED_ORDER_COLUMNS, orders.map(listedOrder), facts);
    const filters = questionParts(question).map(([name]) => name);
    const { role } = acting.operator;
    await audit.answered(byOf(acting), { query: 'list-orders', role, filters, digest, format, rows: orders.length });
    const leftOut = leftOutOf({ references: areReferencesCut, orders: isCutShort });
    return { contentType: CONTENT_TYPES[format], body, next, leftOut, index };
  }

  /**
   * The trail of an order, by orderid or client_orderid. A reveal is recorded with its reason before the answer is sent.
   * @throws StoreUnavailable, VaultUnavailable
   */
  async orderTrail(id: string, { merchant, by, format, reveal, deadline }: TrailAsked, acting: ActingOperator): Promise<TrailAnswer> {
    const { trails, audit, questions } = this.ports;
    const order = await this.ports.names.one(id, { merchant, by }, acting.operator, deadline);
    const trail = order.kind === 'order' ? await trails.of(order.stream, { isRevealed: reveal !== undefined, deadline }) : undefined;
    if (order.kind !== 'order' || trail === undefined) {
      await questions.answered(acting, { query: 'order-trail', question: { id, merchant, by }, rows: 0 });
      return order.kind === 'order' ? { kind: 'unknown-order', index: undefined } : order;
    }
    const { orderId } = order;
    const { entries, revealedTexts, isCutShort, areQuestionsCut } = trail;
    const cuts = { isCutShort: isCutShort || undefined, areQuestionsCut: areQuestionsCut || undefined } as const;
    const facts = { orderId, merchant: order.merchant, isRevealed: reveal !== undefined, ...cuts } satisfies Omit<
      TrailPage,
      'version' | 'trail'
    >;
    const body = inFormat(format, 'trail', TRAIL_COLUMNS, entries, facts);
    const reason = reveal && (await this.ports.sealer.takeKey(deadline)).seal(order.merchant, REVEAL_REASON, reveal.reason);
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
    const leftOut = leftOutOf({ events: isCutShort, questions: areQuestionsCut });
    return { kind: 'told', answer: { contentType: CONTENT_TYPES[format], body, next: undefined, leftOut, index: undefined } };
  }

  /** Configuration in force at a moment; undefined if none was recorded until then. @throws StoreUnavailable, BrokenChain */
  async configuration(at: Instant | undefined, deadline: Deadline, acting: ActingOperator): Promise<ShownConfiguration | undefined> {
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
}
