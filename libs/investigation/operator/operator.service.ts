import { isOrderId, present, type Deadline } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { isDeliveryKey, type ResendAnswer, type ResendCallback } from '@app/callbacks';
import { afterEffect, metadataOf, readsWithin, type Actor, type EventStore, type Revision, type StreamName } from '@app/event-store';
import type { Accounts, Operator } from '@app/configuration';
import {
  deliveryRecords,
  findPage,
  indexState,
  orderSummary,
  type DeliveryRecord,
  type FoundBy,
  type IndexState,
  type OrderSummary,
  type SearchSources,
} from '@app/read-models/queries';
import { ORDER_SEARCH, type OrderStatusView, type ProjectionHealth, type StreamRebuilt } from '@app/read-models';
import type { ManualDisputeReport, ReportRecorded } from '@app/orders';
import { erasureAsJson, type ErasureJson } from '../erasure/erasure-as-json';
import { erasureOf } from '../erasure/erasure.codec';
import type { OperatorAudit } from '../record/operator-audit';
import { act, merchantsAsked, sealedReason, seesMerchant, type ActingOperator } from './operator-access';
import { streamOfOrder } from './order-names';

export interface OutcomeResolver {
  resolve(
    stream: StreamName,
    as: 'approved' | 'declined',
    reason: string,
    by: Actor,
    /** The number of the follow-up, absent for the order itself; and the only revision of the order at which it is resolved. */
    limits?: { readonly followUp?: number; readonly at?: Revision },
  ): Promise<{ readonly reason: 'resolved' | 'nothing-to-resolve' | 'flight-not-over' | 'order-moved' }>;
}

interface ReportRecorder {
  record(stream: StreamName, report: ManualDisputeReport, by: Actor): Promise<ReportRecorded>;
}

export interface OperatorServicePorts {
  readonly log: Pick<EventStore, 'read' | 'subscribe'>;
  readonly readModel: SearchSources['readModel'] & {
    health(): Promise<readonly ProjectionHealth[]>;
    rebuildStream(stream: StreamName): Promise<StreamRebuilt>;
  };
  readonly accounts: Pick<Accounts, 'logins'>;
  readonly orders: { ofStream(stream: StreamName, asked?: { readonly deadline?: Deadline }): Promise<OrderStatusView | undefined> };
  readonly resending: ResendCallback;
  readonly outcomes: OutcomeResolver;
  readonly reports: ReportRecorder;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
}

interface FindAsked {
  readonly merchant?: string | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

export interface Found {
  readonly found: readonly { readonly by: readonly FoundBy[]; readonly order: OrderSummary }[];
  /** `after` of the next page, if the card or reference has more orders. */
  readonly next?: string;
  /** The card has more references than are searched, so some of its orders are on no page. */
  readonly areReferencesCut?: true;
  /** Present if the index is behind the log, so that an order may be missing here. */
  readonly index?: Exclude<IndexState, 'level'>;
}

export interface ShownOrder extends OrderSummary {
  /** Absent if nothing is recorded. */
  readonly erasure?: ErasureJson;
}

export type Resolution =
  | { readonly reason: 'resolved'; readonly order: OrderSummary }
  | { readonly reason: 'unknown-order' | 'nothing-to-resolve' | 'flight-not-over' | 'order-moved' };

export type Reporting =
  | { readonly reason: 'recorded' | 'known'; readonly order: OrderSummary }
  /** The report does not fit the order; kept for an operator to review. */
  | { readonly reason: 'set-aside'; readonly cause: Extract<ReportRecorded, { kind: 'set-aside' }>['cause'] }
  | { readonly reason: 'unknown-order' | Extract<ReportRecorded, { kind: 'refused' }>['reason'] };

export type Unparking = { readonly reason: 'unparked' | 'not-parked' | 'still-parked' } & StreamRebuilt;

const STREAM_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}-[a-z2-7]{52}$/;

/** Operators' queries and actions. The audit records each action with its actor before it is executed, and its outcome afterwards. */
export class OperatorService {
  readonly #ports: OperatorServicePorts;

  constructor(ports: OperatorServicePorts) {
    this.#ports = ports;
  }

  /** Undefined if `after` is not the `next` of an earlier page. @throws StoreUnavailable, also after the deadline */
  async find(text: string, { merchant, ...page }: FindAsked, operator: Operator, deadline?: Deadline): Promise<Found | undefined> {
    const { log, readModel, accounts } = this.#ports;
    const merchants = merchantsAsked(operator, accounts.logins, merchant);
    const sources = { log, readModel, merchants, isLimited: operator.merchants !== undefined };
    const found = await findPage(sources, text, { ...present(page), ...(deadline && { deadline }) });
    if (found === undefined) return undefined;
    const orders = await Promise.all(found.found.map(async ({ stream, by }) => ({ by, order: await this.#summary(stream, deadline) })));
    const index = await this.#indexStateOf(ORDER_SEARCH);
    return {
      found: orders.flatMap(({ by, order }) => (order === undefined ? [] : [{ by, order }])),
      ...(found.next !== undefined && { next: found.next }),
      ...(found.areReferencesCut && { areReferencesCut: true as const }),
      ...(index !== 'level' && { index }),
    };
  }

  /** Includes holds and erasures. @throws BrokenChain, StoreUnavailable, also after the deadline */
  async order(orderId: string, operator: Operator, deadline?: Deadline): Promise<ShownOrder | undefined> {
    const stream = await this.#streamOf(orderId, operator);
    const summary = stream && (await this.#summary(stream, deadline));
    if (stream === undefined || summary === undefined) return undefined;
    const erasure = erasureAsJson(await erasureOf(readsWithin(this.#ports.log, deadline), stream));
    return { ...summary, ...(erasure !== undefined && { erasure }) };
  }

  async deliveries(orderId: string, operator: Operator, deadline?: Deadline): Promise<readonly DeliveryRecord[] | undefined> {
    const stream = await this.#streamOf(orderId, operator);
    return stream === undefined ? undefined : deliveryRecords(readsWithin(this.#ports.log, deadline), stream);
  }

  async resolve(
    orderId: string,
    {
      as,
      reason,
      merchant,
      ...limits
    }: {
      readonly as: 'approved' | 'declined';
      readonly reason: string;
      readonly merchant?: string;
      readonly followUp?: number;
      readonly at?: Revision;
    },
    acting: ActingOperator,
  ): Promise<Resolution> {
    if (!isOrderId(orderId)) return { reason: 'unknown-order' };
    return act(
      this.#ports.audit,
      acting,
      { action: 'settle-unknown', target: orderId, done: ['resolved'] },
      async (by): Promise<Resolution> => {
        const stream = await this.#streamOf(orderId, acting.operator, merchant);
        if (stream === undefined) return { reason: 'unknown-order' };
        const { reason: result } = await this.#ports.outcomes.resolve(stream, as, reason, by, limits);
        if (result !== 'resolved') return { reason: result };
        const order = await afterEffect(() => this.#summary(stream));
        if (order === undefined) throw new Error(`${stream}: no order after it was resolved`);
        return { reason: 'resolved', order };
      },
    );
  }

  async report(orderId: string, report: ManualDisputeReport, acting: ActingOperator, merchant?: string): Promise<Reporting> {
    if (!isOrderId(orderId)) return { reason: 'unknown-order' };
    return act(
      this.#ports.audit,
      acting,
      { action: 'record-report', target: orderId, done: ['recorded', 'set-aside'] },
      async (by): Promise<Reporting> => {
        const stream = await this.#streamOf(orderId, acting.operator, merchant);
        if (stream === undefined) return { reason: 'unknown-order' };
        const result = await this.#ports.reports.record(stream, report, by);
        if (result.kind === 'set-aside') return { reason: 'set-aside', cause: result.cause };
        if (result.kind === 'refused') return { reason: result.reason };
        const order = await afterEffect(() => this.#summary(stream));
        if (order === undefined) throw new Error(`${stream}: no order after a report of it`);
        return { reason: result.kind, order };
      },
    );
  }

  async resend(deliveryId: string, reason: string, acting: ActingOperator): Promise<ResendAnswer> {
    if (!isDeliveryKey(deliveryId)) return { reason: 'unknown-delivery' };
    return act(this.#ports.audit, acting, { action: 'resend-delivery', target: deliveryId, done: ['requested'] }, (by) =>
      this.#ports.resending.resend({ deliveryId, reason, by, merchants: acting.operator.merchants }),
    );
  }

  /** A stream that belongs to no merchant, such as a process's own, is for unlimited operators. */
  async unpark(name: string, reason: string, acting: ActingOperator): Promise<Unparking> {
    const none = { reason: 'not-parked', applied: [], stillParked: [] } as const;
    if (!STREAM_NAME.test(name)) return none;
    const stream = name as StreamName;
    const { audit, sealer, readModel } = this.#ports;
    const merchant = await this.#merchantOf(stream);
    const sealed = await sealedReason(sealer, reason, merchant);
    const about = { action: 'unpark-stream' as const, target: stream, done: ['unparked' as const], reason: sealed };
    return act(audit, acting, about, async (): Promise<Unparking> => {
      if (!seesMerchant(acting.operator, merchant)) return none;
      const { applied, stillParked } = await readModel.rebuildStream(stream);
      return { reason: stillParked.length > 0 ? 'still-parked' : applied.length > 0 ? 'unparked' : 'not-parked', applied, stillParked };
    });
  }

  async #indexStateOf(projection: string): Promise<IndexState> {
    const { log, readModel } = this.#ports;
    const health = (await readModel.health()).find((one) => one.projection === projection);
    return indexState(log, health?.position);
  }

  async #merchantOf(stream: StreamName): Promise<string | undefined> {
    for await (const first of this.#ports.log.read(stream)) return metadataOf(first).merchant;
    return undefined;
  }

  #streamOf(orderId: string, operator: Operator, merchant?: string): Promise<StreamName | undefined> {
    const { readModel, accounts } = this.#ports;
    return streamOfOrder(readModel.operatorOrders, merchantsAsked(operator, accounts.logins, merchant), orderId);
  }

  async #summary(stream: StreamName, deadline?: Deadline): Promise<OrderSummary | undefined> {
    const view = await this.#ports.orders.ofStream(stream, deadline && { deadline });
    return view === undefined ? undefined : orderSummary(view);
  }
}
