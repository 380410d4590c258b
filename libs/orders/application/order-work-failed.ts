import { type CallerTrace, type Traced, OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { VaultUnavailable } from '@app/card-vault';
import type { OpenOrder } from './order-context';

export interface AboutOrder {
  readonly stream: string;
  readonly orderId: string;
  readonly merchant: string;
  readonly serial: string;
  readonly callerTrace?: CallerTrace;
  readonly followUp?: number;
}

/** @param asked the request behind the work, if a follow-up's request and not the order's */
export const aboutOrder = (open: OpenOrder, asked: Traced = open): AboutOrder => {
  const { stream, order } = open;
  const { correlation: serial, callerTrace } = asked;
  return { stream, orderId: order.orderId, merchant: order.merchant, serial, ...(callerTrace !== undefined && { callerTrace }) };
};

export class OrderWorkFailed extends Error {
  override readonly name = 'OrderWorkFailed';

  constructor(
    readonly about: AboutOrder,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** True if the log or the vault could not be reached: a retry may succeed. */
export const isStoreAway = (error: unknown): error is VaultUnavailable | OutcomeUnknown | StoreUnavailable =>
  error instanceof StoreUnavailable || error instanceof OutcomeUnknown || error instanceof VaultUnavailable;
