import type { OrderStatusView } from './order-status.view';

/** Outcomes that nobody knows yet and that a person may have to settle: the order's own, and those of what followed it. */
export const unknownOutcomes = (view: Pick<OrderStatusView, 'status' | 'followUps'>): number =>
  [view, ...view.followUps].filter(({ status }) => status === 'unknown').length;
