import { type ReportView, type FollowUpView, OPERATION_WORDS, type OrderStatusView } from './order-status.view';

/**
 * Status, type, stage, reason, dates and gate data are the follow-up's; everything else, including the amount, is the order's (protocol
 * decisions, sections 2 and 3).
 */
export const viewForFollowUp = (order: OrderStatusView, followUp: FollowUpView): OrderStatusView => {
  const { operation, status, stage, attemptKey, receipt, approvalCode, processingAt, finalAt, code, advice } = followUp;
  return { ...order, transactionType: operation, status, stage, attemptKey, receipt, approvalCode, processingAt, finalAt, code, advice };
};

/** Type and stage are the order's own, not those of a later follow-up. */
const viewAtAcceptance = (order: OrderStatusView): OrderStatusView => {
  // Only an approved order can have follow-ups, and it stays approved.
  if (order.status !== 'approved') return order;
  const { transactionType, stage } = OPERATION_WORDS[order.operation];
  return { ...order, transactionType, stage: `${stage}_approved` };
};

/** Without a serial, type and stage are those of the latest approval (protocol decisions, section 2). */
export const viewForRequest = (order: OrderStatusView, serial: string | undefined): OrderStatusView => {
  if (serial === undefined) return order;
  const followUp = order.followUps.find((one) => one.serial === serial);
  return followUp === undefined ? viewAtAcceptance(order) : viewForFollowUp(order, followUp);
};

/**
 * Type, stage, status and amount are the report's. A chargeback that was won back is a declined chargeback. A report that moves no money
 * has no stage.
 */
export const viewForReport = (order: OrderStatusView, { shown, outcome, amountMinor, currency }: ReportView): OrderStatusView => ({
  ...order,
  ...shown,
  status: outcome === 'won' ? 'declined' : 'approved',
  amountMinor: amountMinor ?? order.amountMinor,
  currency: currency ?? order.currency,
});
