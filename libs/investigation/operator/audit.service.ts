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
import { byOf, type ActingOperator, type QuestionsOnRecord } from './operator-access';
import type { IndexGap, NameAsked, OrderNames, OrderUnnamed } from './order-names';

interface AuditServicePorts {
  readonly lists: Pick<ListOrders, 'page'>;
  readonly trails: Pick<OrderTrails, 'of'>;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly names: Pick<OrderNames, 'one' | 'indexState'>;
  readonly log: Pick<EventStore, 'read'>;
  readonly clock: Clock;
  readonly audit: Pick<OperatorAudit, 'answered'>;
  readonly questions: Pick<QuestionsOnRecord, 'answered'>;
}

interface ListAsked {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly format: AuditFormat;
  readonly deadline: Deadline;
}

interface TrailAsked extends NameAsked {
  readonly format: AuditFormat;
  /** A person's grounds: what is sealed is shown, and the grounds are on record. */
  readonly reveal?: { readonly reason: string };
  readonly deadline: Deadline;
}

export type TrailAnswer = { readonly kind: 'told'; readonly answer: AuditAnswer } | OrderUnnamed;

/** A page of an answer in its format. */
export interface AuditAnswer {
  readonly contentType: string;
  readonly body: string;
  /** The cursor of the next page. */
  readonly next: string | undefined;
  /** What the rows leave out, in words that do not change: they say it where a format has no room for it. */
  readonly leftOut: readonly LeftOut[];
  /** Where the index that was asked is not level with the log. */
  readonly index: string | undefined;
}

/** A page of a list as JSON. */
export interface OrderPage {
  /** Rises when a member is removed or changes its meaning. */
  readonly version: number;
  /** There are more: `cursor` of the next page. The header `Audit-Next` has it, too. */
  readonly next?: string | undefined;
  /** The page ended because it looked at as many orders as a page may: those that follow were not looked at yet. */
  readonly isCutShort?: true | undefined;
  /** The card has more than 500 references: orders by the others are not in the list. */
  readonly areReferencesCut?: true | undefined;
  /** The index of orders lacks part of the log, so that an order may be missing here. */
  readonly index?: IndexGap | undefined;
  readonly orders: readonly ListedOrder[];
}

/** A trail as JSON. */
export interface TrailPage {
  readonly version: number;
  readonly orderId: string;
  readonly merchant: string;
  readonly isRevealed: boolean;
  /** More happened than a trail may hold. */
  readonly isCutShort?: true | undefined;
  /** More was asked about it than what happened leaves room for. */
  readonly areQuestionsCut?: true | undefined;
  readonly trail: readonly TrailEntry[];
}

/** A configuration as a process had it. */
export interface ShownConfiguration {
  readonly version: number;
  /** SHA-256 over the redacted copy and the names of the keys. */
  readonly digest: string;
  readonly tookEffectAt: string;
  readonly replacedAt: string | null;
  /** The boot id of the process that brought it. */
  readonly process: string;
  readonly keys: readonly string[];
  /** Why there is no copy. */
  readonly omitted: NonNullable<ConfigurationTookEffect['data']['omitted']> | null;
  /** Each key, password and token is a `keyId` only. */
  readonly configuration: object | null;
}

/** Orders by more references of the card; orders that a page did not look at; events of the order; questions about it. */
type LeftOut = 'references' | 'orders' | 'events' | 'questions';

const leftOutOf = (cuts: Partial<Record<LeftOut, boolean>>): readonly LeftOut[] =>
  (Object.keys(cuts) as LeftOut[]).filter((name) => cuts[name] === true);

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
    const { orders, next, isCutShort, areReferencesCut, digest } = page;
    const index = await this.ports.names.indexState();
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
   * The trail of an order, by its orderid or its client_orderid. What is revealed is on record, with its grounds, before it is told.
   * @throws StoreUnavailable, VaultUnavailable
   */
  async orderTrail(id: string, { merchant, by, format, reveal, deadline }: TrailAsked, acting: ActingOperator): Promise<TrailAnswer> {
    const { trails, audit, questions } = this.ports;
    const order = await this.ports.names.one(id, { merchant, by }, deadline);
    const trail = order.kind === 'order' ? await trails.of(order.stream, { isRevealed: reveal !== undefined, deadline }) : undefined;
    if (order.kind !== 'order' || trail === undefined) {
      // That there is none is an answer as well.
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

  /** Which configuration applied at a moment; undefined where none was on record by then. @throws StoreUnavailable, BrokenChain */
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
