import type { Decider, Instant, NonEmpty } from '@app/kernel';
import type { OrderEndEvent, OrderEndTold } from './order-end.events';

/** One `client_orderid` may name two orders (protocol decisions, section 4), and a final status may be corrected; a sound gateway sends no more than this. */
export const ENDS_MAX = 100;

export interface RecordOrderEnd {
  readonly type: 'RecordOrderEnd';
  readonly data: Omit<OrderEndTold['data'], 'toldAt'> & { readonly now: Instant };
}

/** The final statuses received under one `client_orderid`, the newest last. */
export interface OrderEnds {
  readonly ends: readonly OrderEndTold['data'][];
}

export type OrderEndRejection = { readonly reason: 'nothing-new' } | { readonly reason: 'too-many' };

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
