import { resultCode, unreachable, type Instant, type OrderKind, type SerialNumber } from '@app/kernel';
import type { DeviceVerificationAccepted, DeviceVerificationEvent } from '@app/device-verification/events';
import {
  isEventOf,
  type AttemptEvent,
  type AttemptStarted,
  type DisputeEvent,
  type FinalEvent,
  type FollowUpEvent,
  type MerchantChecked,
  type NextAttemptChosen,
  type OutcomeReconciled,
  type Receipt,
} from '@app/orders/events';
import type { PaymentAccepted, PaymentEvent } from '@app/payment/events';
import type { RecurrentPaymentAccepted, RecurringEvent } from '@app/recurring/events';
import type { TransferAccepted, TransferEvent } from '@app/transfer/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import { foldDispute, foldFollowUp } from './follow-up.fold';
import {
  OPERATION_WORDS,
  type FinalStatus,
  type GateReceipt,
  type OrderStage,
  type OrderStatus,
  type OrderStatusView,
  type StageState,
} from './order-status.view';

/** If a new kind joins the union, the switches below do not compile until they handle it. */
export type OrderEvent = PaymentEvent | RecurringEvent | DeviceVerificationEvent | TransferEvent;
type AnyAccepted = PaymentAccepted | RecurrentPaymentAccepted | DeviceVerificationAccepted | TransferAccepted;

const stageOf = ({ operation }: Pick<OrderStatusView, 'operation'>, state: StageState): OrderStage =>
  `${OPERATION_WORDS[operation].stage}_${state}`;

const accepted = ({ data }: AnyAccepted, { id, category, metadata }: LogEvent): OrderStatusView => {
  const { plan, amount } = data;
  return {
    merchant: data.merchant,
    kind: category as OrderKind,
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
    card: data.card ?? null,
    destination: 'destination' in data ? data.destination : null,
    cardRefId: 'cardRefId' in data ? data.cardRefId : null,
    mapped: null,
    customer: data.customer,
    details: data.details,
    gates: plan.gates,
    gate: null,
    attemptKey: null,
    attempts: 0,
    issuer: null,
    receipt: null,
    commissionMinor: null,
    randomSum: null,
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
    followUps: [],
  };
};

/** A copy for each event, so that the result shares no mutable part with the input. */
type Draft = { -readonly [Member in keyof OrderStatusView]: OrderStatusView[Member] };

const move = (draft: Draft, status: OrderStatus, state: StageState): void => {
  draft.status = status;
  draft.stage = stageOf(draft, state);
  draft.payer = null;
  delete draft.unknownSince;
};

/** Clears the previous attempt's gate data, because a decline without a receipt must not show another gate's. */
const start = (draft: Draft, { data }: AttemptStarted): void => {
  const gate = draft.gates.find(({ alias }) => alias === data.gate);
  if (gate === undefined) throw new CannotApply('AttemptStarted at a gate that the plan does not have');
  // A claim that is renewed before the request was sent is the same attempt.
  if (draft.attemptKey === data.attemptKey && draft.attempts === data.number) return;
  // The order is filtering until a gate first answers, and a later attempt can only follow an answer (protocol decisions, section 7).
  move(draft, 'processing', draft.attempts === 0 ? 'filtering' : 'processing');
  draft.amountMinor = data.amount.minor.toString();
  draft.gate = gate;
  draft.attemptKey = data.attemptKey;
  draft.attempts += 1;
  draft.issuer = data.issuer ?? draft.issuer;
  draft.receipt = null;
  draft.approvalCode = null;
  draft.processingAt ??= data.startedAt;
  draft.advice = null;
};

/** The plan continues with a later gate for the same amount, or at the first gate with another amount (protocol decisions, section 7). */
const continuePlan = (draft: Draft, { data }: NextAttemptChosen): void => {
  const isLaterGate = data.gate !== draft.gates[0]?.alias;
  if (isLaterGate) move(draft, 'chain_declined', 'chain_declined');
  else move(draft, 'processing', 'processing');
};

/** Omits the commission, which the order shows itself, and the random sum, which must not be readable. */
const shown = ({ commission: _held, randomSum: _withdrawn, ...receipt }: Receipt): GateReceipt => receipt;

const check = (draft: Draft, { data }: MerchantChecked): void => {
  const { source, destination, customer, details, randomSum } = data;
  draft.card = source?.card ?? draft.card;
  draft.cardRefId = source?.cardRefId ?? draft.cardRefId;
  draft.destination = destination?.card ?? draft.destination;
  draft.customer = customer ?? draft.customer;
  draft.details = details ?? draft.details;
  draft.randomSum = randomSum ?? null;
};

const attempt = (draft: Draft, event: AttemptEvent): void => {
  if (event.type === 'AttemptStarted') return start(draft, event);
  if (event.type === 'LateResultConflict') {
    // The conflict may concern an earlier attempt, so the key is not checked.
    draft.conflicts += 1;
    return;
  }
  if (draft.attemptKey !== event.data.attemptKey) throw new CannotApply(`${event.type} of another attempt than the newest`);
  switch (event.type) {
    case 'AttemptApproved':
      move(draft, 'processing', 'processing');
      draft.receipt = shown(event.data.receipt);
      draft.commissionMinor = event.data.receipt.commission?.minor.toString() ?? draft.commissionMinor;
      draft.approvalCode = event.data.approvalCode;
      return;
    case 'AttemptDeclined':
      move(draft, 'processing', 'processing');
      draft.receipt = event.data.receipt === undefined ? draft.receipt : shown(event.data.receipt);
      draft.advice = event.data.advice ?? null;
      return;
    case 'AttemptTaken':
      return;
    case 'AttemptUnknown':
      move(draft, 'unknown', 'unknown');
      draft.unknownSince = event.data.answeredAt;
      return;
    case 'AttemptNotAsked':
    case 'AttemptSettled':
      return move(draft, 'processing', 'processing');
    case 'PayerChallenged': {
      const { attemptKey, page, payerDueAt, transactionId } = event.data;
      move(draft, 'processing', '3d_validating');
      draft.receipt = { transactionId };
      draft.payer = { attemptKey, page, payerDueAt };
      return;
    }
    case 'PayerReturned':
      return move(draft, 'processing', '3d_validated');
    default:
      return unreachable(event);
  }
};

const end = (draft: Draft, status: FinalStatus, event: FinalEvent, finalAt: Instant, id: LogEvent['id']): void => {
  move(draft, status, status);
  draft.finalAt = finalAt;
  draft.code = 'code' in event.data ? event.data.code : null;
  draft.callbacks = event.data.callbacks;
  draft.finalEventId = id;
};

const reconcile = (draft: Draft, { data }: OutcomeReconciled, id: LogEvent['id']): void => {
  const { to, amount, receiptId, callbacks, reconciledAt } = data;
  if (draft.finalEventId === null) throw new CannotApply(`OutcomeReconciled of an order that is ${draft.status}`);
  move(draft, to, to);
  draft.transactionType = OPERATION_WORDS[draft.operation].transactionType;
  draft.finalAt = reconciledAt;
  draft.callbacks = callbacks;
  draft.finalEventId = id;
  draft.amountMinor = amount.minor.toString();
  draft.receiptId = receiptId ?? null;
  draft.code = to === 'declined' ? resultCode('do-not-honour') : null;
  draft.advice = null;
};

const follow = (
  draft: Draft,
  event: Exclude<OrderEvent, FollowUpEvent | DisputeEvent | { type: 'OrderAccepted' }>,
  id: LogEvent['id'],
): void => {
  if (draft.finalEventId !== null && event.type !== 'LateResultConflict' && event.type !== 'OutcomeReconciled') {
    throw new CannotApply(`${event.type} of an order that is ${draft.status}`);
  }
  if (isEventOf(event, 'attempt')) return attempt(draft, event);
  switch (event.type) {
    case 'NextAttemptChosen':
      return continuePlan(draft, event);
    case 'OrderScreened':
    case 'MerchantCheckFailed':
    case 'FeesOffered':
    case 'GateFeesOffered':
      return;
    case 'CardsMapped': {
      const { source, destination } = event.data;
      draft.mapped = { source: source.cardRefId, ...(destination && { destination: destination.cardRefId }) };
      return;
    }
    case 'MerchantChecked':
      return check(draft, event);
    case 'FeeChosen':
    case 'GateFeeChosen':
      draft.commissionMinor = event.data.commission.minor.toString();
      return;
    case 'CommissionDiffered':
      draft.conflicts += 1;
      return;
    case 'OrderApproved':
      end(draft, 'approved', event, event.data.approvedAt, id);
      draft.amountMinor = event.data.amount.minor.toString();
      draft.receiptId = event.data.receiptId;
      return;
    case 'OutcomeReconciled':
      return reconcile(draft, event, id);
    case 'OrderDeclined':
      return end(draft, 'declined', event, event.data.declinedAt, id);
    case 'OrderFiltered':
      return end(draft, 'filtered', event, event.data.filteredAt, id);
    case 'OrderFailed':
      return end(draft, 'error', event, event.data.failedAt, id);
    default:
      return unreachable(event);
  }
};

/**
 * Applies one event to an order's view. Only this function maps events to status and stage.
 * @throws CannotApply if the event cannot follow the previous ones
 */
export const foldOrderStatus = (view: OrderStatusView | undefined, logEvent: LogEvent<OrderEvent>): OrderStatusView => {
  const { event, id } = logEvent;
  if (event.type === 'OrderAccepted') {
    if (view !== undefined) throw new CannotApply('OrderAccepted of an order that was accepted before');
    return accepted(event, logEvent);
  }
  if (view === undefined) throw new CannotApply(`${event.type} before OrderAccepted`);
  if (isEventOf(event, 'follow-up')) return { ...view, ...foldFollowUp(view, event, id, logEvent.metadata.correlation as SerialNumber) };
  if (isEventOf(event, 'report')) return { ...view, ...foldDispute(view, event, id) };
  const draft: Draft = { ...view };
  follow(draft, event, id);
  return draft;
};
