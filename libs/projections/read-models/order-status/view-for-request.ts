import type { FollowUpView } from './follow-up.view';
import { OPERATION_WORDS, type OrderStatusView } from './order-status.view';

/**
 * The order as one of its follow-ups shows it: status, type, stage, reason, dates and what the gate said are the follow-up's own; everything
 * else, the amount too, is the order's (protocol decisions, sections 2 and 3).
 */
export const viewForFollowUp = (order: OrderStatusView, followUp: FollowUpView): OrderStatusView => {
  const { operation, status, stage, attemptKey, receipt, approvalCode, processingAt, finalAt, code, advice } = followUp;
  return { ...order, transactionType: operation, status, stage, attemptKey, receipt, approvalCode, processingAt, finalAt, code, advice };
};

/** The order as its acceptance has it: type and stage are its own, not those of what was approved after it. */
const viewAtAcceptance = (order: OrderStatusView): OrderStatusView => {
  // Only an approved order is followed up, and it stays approved.
  if (order.status !== 'approved') return order;
  const { transactionType, stage } = OPERATION_WORDS[order.operation];
  return { ...order, transactionType, stage: `${stage}_approved` };
};

/** The order as the request with this serial shows it; by none, with type and stage of what was approved last (protocol decisions, section 2). */
export const viewForRequest = (order: OrderStatusView, serial: string | undefined): OrderStatusView => {
  if (serial === undefined) return order;
  const followUp = order.followUps.find((one) => one.serial === serial);
  return followUp === undefined ? viewAtAcceptance(order) : viewForFollowUp(order, followUp);
};
