import type { ClientOrderId, Instant } from '@app/kernel';

export const FINAL_STATUSES = ['approved', 'declined', 'error', 'filtered'] as const;
/** The final status of an order in the gateway's callback (protocol decisions, section 2). */
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** The gateway's callback notified the end of an order; the event holds the members that its `control` covers. */
export type OrderEndTold = {
  readonly type: 'OrderEndTold';
  readonly data: {
    readonly clientOrderId: ClientOrderId;
    readonly orderId: string;
    readonly status: FinalStatus;
    readonly toldAt: Instant;
  };
};

export type OrderEndEvent = OrderEndTold;
