import type { CallerTrace, Traced } from '@app/event-store';
import type { OpenOrder } from './order-context';

/** Which order a failure is about, as far as logs may name it. */
export interface AboutOrder {
  readonly stream: string;
  readonly orderId: string;
  readonly merchant: string;
  /** The request that made the order, or asked for the follow-up. */
  readonly serial: string;
  /** Absent where it brought none. */
  readonly callerTrace?: CallerTrace;
  /** Of its order. */
  readonly followUp?: number;
}

/** @param asked the request that wants it: a follow-up's, where it is not the one that made the order */
export const aboutOrder = (open: OpenOrder, asked: Traced = open): AboutOrder => {
  const { stream, order } = open;
  const { correlation: serial, callerTrace } = asked;
  return { stream, orderId: order.orderId, merchant: order.merchant, serial, ...(callerTrace !== undefined && { callerTrace }) };
};

/** Work on an order that was read failed; `cause` is what was thrown. */
export class OrderWorkFailed extends Error {
  override readonly name = 'OrderWorkFailed';

  constructor(
    readonly about: AboutOrder,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
