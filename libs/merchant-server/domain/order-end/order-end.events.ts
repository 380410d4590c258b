import type { ClientOrderId, Instant } from '@app/kernel';

export const FINAL_STATUSES = ['approved', 'declined', 'error', 'filtered'] as const;
/** How an order ended, by the gateway's word (protocol decisions, section 2). */
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** The gateway told how an order ended; of what a callback says this is the part that its `control` covers. */
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
