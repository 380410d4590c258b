import type { OrderStatusView } from './order-status.view';

/** Counts the unknown outcomes of an order and its follow-ups, which an operator may have to resolve. */
export const unknownOutcomes = (view: Pick<OrderStatusView, 'status' | 'followUps'>): number =>
  [view, ...view.followUps].filter(({ status }) => status === 'unknown').length;
