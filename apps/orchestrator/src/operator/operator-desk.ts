import { isOrderId, type MerchantLogin } from '@app/kernel';
import type { ResendAnswer, ResendCallback } from '@app/deliveries';
import type { EventStore, StreamName } from '@app/event-store';
import type { OrderStatusRecord, OrderStatusView } from '@app/projections';
import { deliveryRecords, type DeliveryRecord } from '../composition/delivery-records';
import { findOrders, type FoundBy, type SearchPlaces } from '../composition/find-orders';
import { orderSummary, type OrderSummary } from '../composition/order-summary';

/** Settles an outcome that no gate has told (order-processing's `SettleOrder`). */
export interface SettlesOrders {
  /** @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable */
  settle(
    stream: StreamName,
    as: 'approved' | 'declined',
    reason: string,
    actor: string,
    /** Of its follow-up of this number; absent: of the order itself. */
    followUp?: number,
  ): Promise<{ readonly reason: 'settled' | 'nothing-to-settle' | 'flight-not-over' }>;
}

export interface OperatorDeskPorts {
  readonly log: Pick<EventStore, 'read'>;
  readonly readModel: SearchPlaces['readModel'] & {
    readonly operatorOrders: { unknown(limit: number): Promise<readonly OrderStatusRecord[]> };
  };
  readonly merchants: readonly MerchantLogin[];
  /** The order as its stream has it now. */
  readonly orders: { ofStream(stream: StreamName): Promise<OrderStatusView | undefined> };
  readonly resending: ResendCallback;
  readonly settling: SettlesOrders;
}

export type Settlement =
  | { readonly reason: 'settled'; readonly order: OrderSummary }
  | { readonly reason: 'unknown-order' | 'nothing-to-settle' | 'flight-not-over' };

/** Of a list; more than a person settles in a day. */
const UNKNOWN_MAX = 1_000;
/** Marks an operator among the actors of events: merchants and reactors have other names. */
const actorOf = (name: string): string => `operator:${name}`;

/** What operators ask and do, whatever way they come (safety, T43): every action is an event with its actor and reason. */
export class OperatorDesk {
  readonly #ports: OperatorDeskPorts;

  constructor(ports: OperatorDeskPorts) {
    this.#ports = ports;
  }

  /** Orders with an outcome that nobody knows, the oldest first, as far as the log is projected. */
  async unknown(): Promise<readonly OrderSummary[]> {
    const rows = await this.#ports.readModel.operatorOrders.unknown(UNKNOWN_MAX);
    return rows.map(({ view }) => orderSummary(view));
  }

  async find(text: string): Promise<readonly { readonly by: readonly FoundBy[]; readonly order: OrderSummary }[]> {
    const { log, readModel, merchants } = this.#ports;
    const found = await findOrders({ log, readModel, merchants }, text);
    const orders = await Promise.all(found.map(async ({ stream, by }) => ({ by, order: await this.#summary(stream) })));
    return orders.flatMap(({ by, order }) => (order === undefined ? [] : [{ by, order }]));
  }

  async order(orderId: string): Promise<OrderSummary | undefined> {
    const stream = await this.#streamOf(orderId);
    return stream === undefined ? undefined : this.#summary(stream);
  }

  async deliveries(orderId: string): Promise<readonly DeliveryRecord[] | undefined> {
    const stream = await this.#streamOf(orderId);
    return stream === undefined ? undefined : deliveryRecords(this.#ports.log, stream);
  }

  async settle(
    orderId: string,
    {
      as,
      reason,
      actor,
      merchant,
      followUp,
    }: {
      readonly as: 'approved' | 'declined';
      readonly reason: string;
      readonly actor: string;
      readonly merchant?: string;
      readonly followUp?: number;
    },
  ): Promise<Settlement> {
    const { settling } = this.#ports;
    const stream = await this.#streamOf(orderId, merchant);
    if (stream === undefined) return { reason: 'unknown-order' };
    const { reason: result } = await settling.settle(stream, as, reason, actorOf(actor), followUp);
    if (result !== 'settled') return { reason: result };
    const order = await this.#summary(stream);
    if (order === undefined) throw new Error(`${stream}: no order after it was settled`);
    return { reason: 'settled', order };
  }

  resend(deliveryId: string, { reason, actor }: { readonly reason: string; readonly actor: string }): Promise<ResendAnswer> {
    return this.#ports.resending.resend({ deliveryId, reason, actor: actorOf(actor) });
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
