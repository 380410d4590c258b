import type { Decider, Instant, NonEmpty } from '@app/kernel';
import type { OrderEndEvent, OrderEndTold } from './order-end.events';

/** One `client_orderid` may name two orders (protocol decisions, section 4), and a final status may be corrected; more than this nobody has to say. */
export const ENDS_TOLD_MAX = 100;

export interface TellOrderEnd {
  readonly type: 'TellOrderEnd';
  readonly data: Omit<OrderEndTold['data'], 'toldAt'> & { readonly now: Instant };
}

/** All that was told under one `client_orderid`, the newest last. */
export interface OrderEnds {
  readonly told: readonly OrderEndTold['data'][];
}

export type OrderEndRejection = { readonly reason: 'nothing-new' } | { readonly reason: 'told-too-often' };

export const orderEnds: Decider<TellOrderEnd, OrderEndEvent, OrderEnds, OrderEndRejection> = {
  initial: { told: [] },
  evolve: ({ told }, { data }) => ({ told: [...told, data] }),
  decide: ({ data }, { told }): NonEmpty<OrderEndEvent> | OrderEndRejection => {
    const { now, ...end } = data;
    const newest = told.findLast(({ orderId }) => orderId === end.orderId);
    if (newest?.status === end.status) return { reason: 'nothing-new' };
    if (told.length >= ENDS_TOLD_MAX) return { reason: 'told-too-often' };
    return [{ type: 'OrderEndTold', data: { ...end, toldAt: now } }];
  },
};
