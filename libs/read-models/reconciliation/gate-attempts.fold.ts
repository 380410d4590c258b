import { unreachable, type AttemptKey, type Instant } from '@app/kernel';
import { isEventOf, type AttemptStarted, type FollowUpAccepted, type FollowUpOperation, type Receipt } from '@app/orders/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import type { OrderEvent } from '../order-status/order-status.fold';
import type { GateAttemptView, AskedOperation, AskedStatus, GateAttemptsView } from './gate-attempts.view';

const OPERATIONS: Readonly<Record<FollowUpOperation, AskedOperation>> = {
  capture: 'capture',
  reversal: 'return',
  cancel: 'return',
  void: 'void',
};

const NOTHING_KNOWN = { sentAt: null, answeredAt: null, processedAt: null, commissionMinor: null, gateOrderId: null, rrn: null } as const;

const attemptOf = ({ operation }: GateAttemptsView, { data }: AttemptStarted): GateAttemptView => ({
  key: data.attemptKey,
  original: data.attemptKey,
  followUp: null,
  operation,
  gate: data.gate,
  amountMinor: data.amount.minor.toString(),
  currency: data.amount.currency,
  status: 'open',
  askedAt: data.startedAt,
  ...NOTHING_KNOWN,
  sentAt: data.startedAt,
});

const followUpOf = ({ data }: FollowUpAccepted): GateAttemptView => ({
  key: null,
  original: data.original,
  followUp: data.number,
  operation: OPERATIONS[data.operation],
  gate: data.gate,
  amountMinor: data.amount.minor.toString(),
  currency: data.amount.currency,
  status: 'accepted',
  askedAt: data.acceptedAt,
  ...NOTHING_KNOWN,
});

const told = (receipt: Receipt | undefined): Partial<GateAttemptView> =>
  receipt === undefined
    ? {}
    : {
        processedAt: receipt.processedAt,
        commissionMinor: receipt.commission?.minor.toString() ?? null,
        gateOrderId: receipt.gateOrderId ?? null,
        rrn: receipt.rrn ?? null,
      };

const ended = (status: AskedStatus, answeredAt: Instant, receipt?: Receipt): Partial<GateAttemptView> => ({
  status,
  sentAt: null,
  answeredAt,
  ...told(receipt),
});

const changed = (
  view: GateAttemptsView,
  isMeant: (asked: GateAttemptView) => boolean,
  type: string,
  change: Partial<GateAttemptView>,
): GateAttemptsView => {
  const index = view.asked.findIndex(isMeant);
  const before = view.asked[index];
  if (before === undefined) throw new CannotApply(`${type} of what was not asked`);
  return { ...view, asked: view.asked.with(index, { ...before, ...change }) };
};

const begun = (view: GateAttemptsView, event: AttemptStarted): GateAttemptsView => {
  const attempt = attemptOf(view, event);
  // A claim that is renewed before the request was sent is the same attempt.
  const index = view.asked.findIndex(({ key }) => key === attempt.key);
  return { ...view, asked: index < 0 ? [...view.asked, attempt] : view.asked.with(index, attempt) };
};

/** @throws CannotApply if the event cannot follow the previous ones */
export const foldGateAttempts = (view: GateAttemptsView | undefined, { event }: LogEvent<OrderEvent>): GateAttemptsView => {
  if (event.type === 'OrderAccepted') {
    if (view !== undefined) throw new CannotApply('OrderAccepted of an order that was accepted before');
    const { merchant, orderId, endpointId, plan, acceptedAt } = event.data;
    return { merchant, orderId, endpointId, operation: plan.operation, acceptedAt, asked: [] };
  }
  if (view === undefined) throw new CannotApply(`${event.type} before OrderAccepted`);
  const attempt = (key: AttemptKey, change: Partial<GateAttemptView>): GateAttemptsView =>
    changed(view, (asked) => asked.followUp === null && asked.key === key, event.type, change);
  const followUp = (number: number, change: Partial<GateAttemptView>): GateAttemptsView =>
    changed(view, (asked) => asked.followUp === number, event.type, change);
  if (isEventOf(event, 'choice', 'device', 'end', 'report')) return view;
  switch (event.type) {
    case 'AttemptStarted':
      return begun(view, event);
    case 'AttemptApproved':
      return attempt(event.data.attemptKey, ended('approved', event.data.answeredAt, event.data.receipt));
    case 'AttemptDeclined':
      return attempt(event.data.attemptKey, ended('declined', event.data.answeredAt, event.data.receipt));
    case 'AttemptNotAsked':
      return attempt(event.data.attemptKey, ended('not-asked', event.data.answeredAt));
    case 'AttemptSettled':
      return attempt(event.data.attemptKey, ended(event.data.as, event.data.settledAt));
    case 'OutcomeReconciled':
      return attempt(event.data.attemptKey, ended(event.data.to, event.data.reconciledAt));
    case 'FollowUpAccepted':
      return { ...view, asked: [...view.asked, followUpOf(event)] };
    case 'FollowUpStarted':
      return followUp(event.data.number, {
        key: event.data.attemptKey,
        status: 'open',
        askedAt: event.data.startedAt,
        sentAt: event.data.startedAt,
      });
    case 'FollowUpApproved':
      return followUp(event.data.number, ended('approved', event.data.approvedAt, event.data.receipt));
    case 'FollowUpDeclined':
      return followUp(event.data.number, ended('declined', event.data.declinedAt, event.data.receipt));
    case 'FollowUpFailed':
      return followUp(event.data.number, ended('not-asked', event.data.failedAt));
    case 'FollowUpSettled':
      return followUp(event.data.number, ended(event.data.as, event.data.settledAt));
    case 'FollowUpReconciled':
      return followUp(event.data.number, ended(event.data.to, event.data.reconciledAt));
    case 'AttemptTaken':
    case 'AttemptUnknown':
    case 'PayerChallenged':
      return attempt(event.data.attemptKey, { sentAt: null });
    case 'PayerReturned':
      return attempt(event.data.attemptKey, { sentAt: event.data.returnedAt });
    case 'FollowUpUnknown':
      return followUp(event.data.number, { sentAt: null });
    case 'LateResultConflict':
    case 'LateFollowUpConflict':
      return view;
    default:
      return unreachable(event);
  }
};
