import { type CallerTrace, type Traced, OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { VaultUnavailable } from '@app/card-vault';
import type { OpenOrder } from './order-context';

/** The order that a failure is about, as far as logs may name it. */
export interface AboutOrder {
  readonly stream: string;
  readonly orderId: string;
  readonly merchant: string;
  /** The serial of the request that made the order, or asked for the follow-up. */
  readonly serial: string;
  /** Absent where the request brought none. */
  readonly callerTrace?: CallerTrace;
  /** The follow-up's number within its order. */
  readonly followUp?: number;
}

/** @param asked the request behind the work: a follow-up's own, where it is not the one that made the order */
export const aboutOrder = (open: OpenOrder, asked: Traced = open): AboutOrder => {
  const { stream, order } = open;
  const { correlation: serial, callerTrace } = asked;
  return { stream, orderId: order.orderId, merchant: order.merchant, serial, ...(callerTrace !== undefined && { callerTrace }) };
};

/** Work on an order failed after the order was read; `cause` is what was thrown. */
export class OrderWorkFailed extends Error {
  override readonly name = 'OrderWorkFailed';

  constructor(
    readonly about: AboutOrder,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Whether the log or the vault could not be reached, so that the same work may succeed a moment later. */
export const isStoreAway = (error: unknown): error is VaultUnavailable | OutcomeUnknown | StoreUnavailable =>
  error instanceof StoreUnavailable || error instanceof OutcomeUnknown || error instanceof VaultUnavailable;
