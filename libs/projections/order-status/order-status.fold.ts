import { orderKindOf, unreachable, type Instant, type SerialNumber } from '@app/kernel';
import type { AttemptEvent, AttemptStarted, FinalEvent } from '@app/order-processing/events';
import type { PaymentAccepted, PaymentEvent } from '@app/payment/events';
import type { RecurrentPaymentAccepted, RecurringEvent } from '@app/recurring/events';
import { CannotApply } from '../faults';
import type { LogEvent } from '../log-event';
import {
  OPERATION_WORDS,
  type FinalStatus,
  type OrderStage,
  type OrderStatus,
  type OrderStatusView,
  type StageState,
} from './order-status.view';

/** Events of every kind of order; a kind that is added joins the union, and the switches below do not compile until it is told. */
export type OrderEvent = PaymentEvent | RecurringEvent;

const stageOf = ({ operation }: Pick<OrderStatusView, 'operation'>, state: StageState): OrderStage =>
  `${OPERATION_WORDS[operation].stage}_${state}`;

const accepted = (
  { data }: PaymentAccepted | RecurrentPaymentAccepted,
  id: LogEvent['id'],
  metadata: LogEvent['metadata'],
): OrderStatusView => {
  const { plan, amount } = data;
  return {
    merchant: data.merchant,
    kind: orderKindOf(data.orderId),
    clientOrderId: data.clientOrderId,
    orderId: data.orderId,
    endpointId: data.endpointId,
    operation: plan.operation,
    status: 'processing',
    stage: stageOf(plan, 'starting'),
    transactionType: OPERATION_WORDS[plan.operation].transactionType,
    currency: amount.currency,
    amountMinor: amount.minor.toString(),
    initialAmountMinor: amount.minor.toString(),
    card: data.card,
    cardRefId: 'cardRefId' in data ? data.cardRefId : null,
    customer: data.customer,
    details: data.details,
    gates: plan.gates,
    gate: null,
    attemptKey: null,
    attempts: 0,
    issuer: null,
    receipt: null,
    approvalCode: null,
    receiptId: null,
    payer: null,
    acceptedAt: data.acceptedAt,
    processingAt: null,
    finalAt: null,
    code: null,
    advice: null,
    requests: [{ serial: metadata.correlation as SerialNumber, operation: plan.operation, eventId: id }],
    callbacks: [],
    finalEventId: null,
    conflicts: 0,
    updatedAt: metadata.recordedAt,
  };
};

const moved = (view: OrderStatusView, status: OrderStatus, state: StageState): OrderStatusView => ({
  ...view,
  status,
  stage: stageOf(view, state),
  payer: null,
});

/** What the gate said of the attempt before belongs to that one: a decline without a receipt must not show another gate's. */
const started = (view: OrderStatusView, { data }: AttemptStarted): OrderStatusView => {
  const gate = view.gates.find(({ alias }) => alias === data.gate);
  if (gate === undefined) throw new CannotApply('AttemptStarted at a gate that the plan does not have');
  return {
    // Until a gate has said its first word the order is being filtered; a later attempt comes after such a word (protocol decisions, section 7).
    ...moved(view, 'processing', view.attempts === 0 ? 'filtering' : 'processing'),
    amountMinor: data.amount.minor.toString(),
    gate,
    attemptKey: data.attemptKey,
    attempts: view.attempts + 1,
    issuer: data.issuer ?? view.issuer,
    receipt: null,
    approvalCode: null,
    processingAt: view.processingAt ?? data.startedAt,
    advice: null,
  };
};

/** A definite no is the order's end only when the context says so: until then another gate of the plan may be asked. */
const refusedByGate = (view: OrderStatusView): OrderStatusView => {
  const isChain = view.attempts < view.gates.length;
  return isChain ? moved(view, 'chain_declined', 'chain_declined') : moved(view, 'processing', 'processing');
};

const attempted = (view: OrderStatusView, event: AttemptEvent): OrderStatusView => {
  if (event.type === 'AttemptStarted') return started(view, event);
  if (view.attemptKey !== event.data.attemptKey) throw new CannotApply(`${event.type} of another attempt than the newest`);
  switch (event.type) {
    case 'AttemptApproved': {
      const { receipt, approvalCode } = event.data;
      return { ...moved(view, 'processing', 'processing'), receipt, approvalCode };
    }
    case 'AttemptDeclined': {
      const { receipt, advice } = event.data;
      return { ...refusedByGate(view), receipt: receipt ?? view.receipt, advice: advice ?? null };
    }
    case 'AttemptUnknown':
      return moved(view, 'unknown', 'unknown');
    case 'AttemptNotAsked':
      return refusedByGate(view);
    case 'PayerChallenged': {
      const { attemptKey, page, payerDueAt, transactionId } = event.data;
      return { ...moved(view, 'processing', '3d_validating'), receipt: { transactionId }, payer: { attemptKey, page, payerDueAt } };
    }
    case 'PayerReturned':
      return moved(view, 'processing', '3d_validated');
    case 'LateResultConflict':
      return { ...view, conflicts: view.conflicts + 1 };
    default:
      return unreachable(event);
  }
};

const final = (view: OrderStatusView, status: FinalStatus, event: FinalEvent, finalAt: Instant, id: LogEvent['id']): OrderStatusView => ({
  ...moved(view, status, status),
  finalAt,
  code: 'code' in event.data ? event.data.code : null,
  callbacks: event.data.callbacks,
  finalEventId: id,
});

const next = (view: OrderStatusView, event: Exclude<OrderEvent, { type: 'OrderAccepted' }>, id: LogEvent['id']): OrderStatusView => {
  if (view.finalEventId !== null && event.type !== 'LateResultConflict') {
    throw new CannotApply(`${event.type} of an order that is ${view.status}`);
  }
  switch (event.type) {
    case 'AttemptStarted':
    case 'AttemptApproved':
    case 'AttemptDeclined':
    case 'AttemptUnknown':
    case 'AttemptNotAsked':
    case 'PayerChallenged':
    case 'PayerReturned':
    case 'LateResultConflict':
      return attempted(view, event);
    case 'OrderApproved': {
      const { amount, receiptId, approvedAt } = event.data;
      return { ...final(view, 'approved', event, approvedAt, id), amountMinor: amount.minor.toString(), receiptId };
    }
    case 'OrderDeclined':
      return final(view, 'declined', event, event.data.declinedAt, id);
    case 'OrderFiltered':
      return final(view, 'filtered', event, event.data.filteredAt, id);
    case 'OrderFailed':
      return final(view, 'error', event, event.data.failedAt, id);
    default:
      return unreachable(event);
  }
};

/**
 * What is known of an order after one more event of it; pure, and the only place that says which event shows as which status and stage.
 * @throws CannotApply where the event cannot follow what came before
 */
export const foldOrderStatus = (view: OrderStatusView | undefined, { event, id, metadata }: LogEvent<OrderEvent>): OrderStatusView => {
  if (event.type === 'OrderAccepted') {
    if (view !== undefined) throw new CannotApply('OrderAccepted of an order that was accepted before');
    return accepted(event, id, metadata);
  }
  if (view === undefined) throw new CannotApply(`${event.type} before OrderAccepted`);
  return { ...next(view, event, id), updatedAt: metadata.recordedAt };
};
