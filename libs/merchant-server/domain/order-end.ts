import type { ClientOrderId, Instant, Decider, NonEmpty } from '@app/kernel';

export const FINAL_STATUSES = ['approved', 'declined', 'error', 'filtered'] as const;
/** The final status of an order in the gateway's callback (protocol decisions, section 2). */
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** The gateway's callback notified the end of an order; the event contains the members that its `control` covers. */
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

/**
 * One `client_orderid` may name two orders (protocol decisions, section 4), and a final status may be corrected. A correct gateway stays
 * below this limit.
 */
export const ENDS_MAX = 100;

export interface RecordOrderEnd {
  readonly type: 'RecordOrderEnd';
  readonly data: Omit<OrderEndTold['data'], 'toldAt'> & { readonly now: Instant };
}

export interface OrderEnds {
  readonly ends: readonly OrderEndTold['data'][];
}

type OrderEndRejection = { readonly reason: 'nothing-new' } | { readonly reason: 'too-many' };

export const orderEnds: Decider<RecordOrderEnd, OrderEndEvent, OrderEnds, OrderEndRejection> = {
  initial: { ends: [] },
  evolve: ({ ends }, { data }) => ({ ends: [...ends, data] }),
  decide: ({ data }, { ends }): NonEmpty<OrderEndEvent> | OrderEndRejection => {
    const { now, ...end } = data;
    const newest = ends.findLast(({ orderId }) => orderId === end.orderId);
    if (newest?.status === end.status) return { reason: 'nothing-new' };
    if (ends.length >= ENDS_MAX) return { reason: 'too-many' };
    return [{ type: 'OrderEndTold', data: { ...end, toldAt: now } }];
  },
};
