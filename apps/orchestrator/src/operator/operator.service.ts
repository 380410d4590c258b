import { isOrderId, type MerchantLogin } from '@app/kernel';
import { isDeliveryKey, type ResendAnswer, type ResendCallback } from '@app/deliveries';
import { OutcomeUnknown, type Actor, type EventStore, type StreamName } from '@app/event-store';
import type { Operator } from '@app/configuration';
import type { OperatorAction, OperatorAudit } from '@app/operator-audit';
import { ORDER_SEARCH, ORDER_STATUS, type ProjectionHealth } from '@app/projections';
import type { OrderStatusRecord, OrderStatusView, StreamRebuilt } from '@app/projections';
import { deliveryRecords, type DeliveryRecord } from '@app/order-queries';
import { findPage, type FoundBy, type SearchSources } from '@app/order-queries';
import { indexState, type IndexState } from '@app/order-queries';
import { orderSummary, withoutPersonalData, type OrderSummary } from '@app/order-queries';
import { actorOf } from './operator-access';
import { seesPersonalData } from './operator-roles';

/** Records how an outcome ended that no gate has told (order-processing's `ResolveUnknownOutcome`). */
export interface ResolvesOutcomes {
  /** @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable */
  resolve(
    stream: StreamName,
    as: 'approved' | 'declined',
    reason: string,
    by: Actor,
    /** Of its follow-up of this number; absent: of the order itself. */
    followUp?: number,
  ): Promise<{ readonly reason: 'settled' | 'nothing-to-settle' | 'flight-not-over' }>;
}

export interface OperatorServicePorts {
  readonly log: Pick<EventStore, 'read' | 'subscribe'>;
  readonly readModel: SearchSources['readModel'] & {
    readonly operatorOrders: { unknown(limit: number): Promise<readonly OrderStatusRecord[]> };
    health(): Promise<readonly ProjectionHealth[]>;
    /** Takes up a parked stream again. */
    rebuildStream(stream: StreamName): Promise<StreamRebuilt>;
  };
  readonly merchants: readonly MerchantLogin[];
  /** The order as its stream has it now. */
  readonly orders: { ofStream(stream: StreamName): Promise<OrderStatusView | undefined> };
  readonly resending: ResendCallback;
  readonly outcomes: ResolvesOutcomes;
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
}

/** Who acts, by their token; `claims` is whom the request names beside it. */
export interface OperatorActing {
  readonly operator: Operator;
  readonly claims: string | undefined;
}

export interface Found {
  readonly found: readonly { readonly by: readonly FoundBy[]; readonly order: OrderSummary }[];
  /** What `after` is for the next page. */
  readonly next?: string;
  /** Where not all that the log holds is in the index: something may be missing here. */
  readonly index?: Exclude<IndexState, 'level'>;
}

export type Resolution =
  | { readonly reason: 'settled'; readonly order: OrderSummary }
  | { readonly reason: 'unknown-order' | 'nothing-to-settle' | 'flight-not-over' };

export type Unparking = { readonly reason: 'unparked' | 'not-parked' | 'still-parked' } & StreamRebuilt;

/** Of a list; more than a person resolves in a day. */
const UNKNOWN_MAX = 1_000;
/** As `streamName` makes them. */
const STREAM_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}-[a-z2-7]{52}$/;

/** What operators ask and do, whatever way they come: every action is on record with its actor before it is done, and with what came of it. */
export class OperatorService {
  readonly #ports: OperatorServicePorts;

  constructor(ports: OperatorServicePorts) {
    this.#ports = ports;
  }

  /** Orders with an outcome that nobody knows, the oldest first, as far as the log is projected. */
  async unknown({ role }: Pick<Operator, 'role'>): Promise<readonly OrderSummary[]> {
    const rows = await this.#ports.readModel.operatorOrders.unknown(UNKNOWN_MAX);
    const summaries = rows.map(({ view }) => orderSummary(view));
    return seesPersonalData(role) ? summaries : summaries.map(withoutPersonalData);
  }

  /** Undefined where `after` is nothing that an earlier page told. */
  async find(text: string, after?: string): Promise<Found | undefined> {
    const { log, readModel, merchants } = this.#ports;
    const page = await findPage({ log, readModel, merchants }, text, after === undefined ? {} : { after });
    if (page === undefined) return undefined;
    const orders = await Promise.all(page.found.map(async ({ stream, by }) => ({ by, order: await this.#summary(stream) })));
    const index = await this.#indexOf(ORDER_SEARCH);
    return {
      found: orders.flatMap(({ by, order }) => (order === undefined ? [] : [{ by, order }])),
      ...(page.next !== undefined && { next: page.next }),
      ...(index !== 'level' && { index }),
    };
  }

  /** Beside "not found": whether an order may be missing in the read model alone. */
  async missing(): Promise<Pick<Found, 'index'>> {
    const index = await this.#indexOf(ORDER_STATUS);
    return index === 'level' ? {} : { index };
  }

  async order(orderId: string): Promise<OrderSummary | undefined> {
    const stream = await this.#streamOf(orderId);
    return stream === undefined ? undefined : this.#summary(stream);
  }

  async deliveries(orderId: string): Promise<readonly DeliveryRecord[] | undefined> {
    const stream = await this.#streamOf(orderId);
    return stream === undefined ? undefined : deliveryRecords(this.#ports.log, stream);
  }

  async resolve(
    orderId: string,
    {
      as,
      reason,
      merchant,
      followUp,
    }: {
      readonly as: 'approved' | 'declined';
      readonly reason: string;
      readonly merchant?: string;
      readonly followUp?: number;
    },
    acting: OperatorActing,
  ): Promise<Resolution> {
    if (!isOrderId(orderId)) return { reason: 'unknown-order' };
    return this.#act(acting, 'settle-unknown', orderId, 'settled', async (by): Promise<Resolution> => {
      const stream = await this.#streamOf(orderId, merchant);
      if (stream === undefined) return { reason: 'unknown-order' };
      const { reason: result } = await this.#ports.outcomes.resolve(stream, as, reason, by, followUp);
      if (result !== 'settled') return { reason: result };
      const order = await this.#summary(stream);
      if (order === undefined) throw new Error(`${stream}: no order after it was resolved`);
      return { reason: 'settled', order };
    });
  }

  async resend(deliveryId: string, reason: string, acting: OperatorActing): Promise<ResendAnswer> {
    if (!isDeliveryKey(deliveryId)) return { reason: 'unknown-delivery' };
    return this.#act(acting, 'resend-delivery', deliveryId, 'requested', (by) => this.#ports.resending.resend({ deliveryId, reason, by }));
  }

  async unpark(stream: string, acting: OperatorActing): Promise<Unparking> {
    if (!STREAM_NAME.test(stream)) return { reason: 'not-parked', applied: [], stillParked: [] };
    return this.#act(acting, 'unpark-stream', stream, 'unparked', async (): Promise<Unparking> => {
      const { applied, stillParked } = await this.#ports.readModel.rebuildStream(stream as StreamName);
      const reason = stillParked.length > 0 ? 'still-parked' : applied.length > 0 ? 'unparked' : 'not-parked';
      return { reason, applied, stillParked };
    });
  }

  async #act<Answer extends { readonly reason: string }>(
    { operator, claims }: OperatorActing,
    action: OperatorAction,
    target: string,
    done: Answer['reason'],
    run: (by: Actor) => Promise<Answer>,
  ): Promise<Answer> {
    const { audit } = this.#ports;
    const by: Actor = { actor: actorOf(operator), ...(claims !== undefined && { claimedActor: claims }) };
    const actionId = await audit.begin(by, { action, role: operator.role, target });
    try {
      const answer = await run(by);
      await audit.end(by, actionId, answer.reason === done ? 'done' : 'refused');
      return answer;
    } catch (error) {
      await audit.end(by, actionId, error instanceof OutcomeUnknown ? 'unknown' : 'failed');
      throw error;
    }
  }

  async #indexOf(projection: string): Promise<IndexState> {
    const { log, readModel } = this.#ports;
    const health = (await readModel.health()).find((one) => one.projection === projection);
    return indexState(log, health?.position);
  }

  async #streamOf(orderId: string, merchant?: string): Promise<StreamName | undefined> {
    if (!isOrderId(orderId)) return undefined;
    const among = merchant === undefined ? this.#ports.merchants : [merchant as MerchantLogin];
    return (await this.#ports.readModel.operatorOrders.byOrderId(among, orderId))?.stream;
  }

  async #summary(stream: StreamName): Promise<OrderSummary | undefined> {
    const view = await this.#ports.orders.ofStream(stream);
    return view === undefined ? undefined : orderSummary(view);
  }
}
