import type { FollowUpView } from './follow-up.view';
import type { OrderStatusView } from './order-status.view';

/**
 * The order as one of its follow-ups shows it: status, type, stage, reason, dates and what the gate said are the follow-up's own; everything
 * else, the amount too, is the order's (protocol decisions, sections 2 and 3).
 */
export const seenByFollowUp = (order: OrderStatusView, followUp: FollowUpView): OrderStatusView => {
  const { operation, status, stage, attemptKey, receipt, approvalCode, processingAt, finalAt, code, advice } = followUp;
  return { ...order, transactionType: operation, status, stage, attemptKey, receipt, approvalCode, processingAt, finalAt, code, advice };
};

/** The order as the request with this serial left it; the order itself where that request made it. */
export const seenByRequest = (order: OrderStatusView, serial: string | undefined): OrderStatusView => {
  const followUp = order.followUps.find((one) => one.serial === serial);
  return followUp === undefined ? order : seenByFollowUp(order, followUp);
};
