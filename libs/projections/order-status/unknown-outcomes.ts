import type { OrderStatusView } from './order-status.view';

/** Outcomes of an order that nobody knows yet and that a person may have to settle. */
export const unknownOutcomes = ({ status }: Pick<OrderStatusView, 'status'>): number => (status === 'unknown' ? 1 : 0);
