import { type Money, resultCode, unreachable, type Instant, type SerialNumber } from '@app/kernel';
import type { DisputeEvent, FollowUpAccepted, FollowUpEvent } from '@app/orders/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import { type ReportView, type OrderStatusView, type FollowUpStatus, type FollowUpView, OPERATION_WORDS } from './order-status.view';

type Own = Pick<ReportView, 'kind'> & Partial<Pick<ReportView, 'stage' | 'outcome' | 'shown' | 'misfit' | 'isAboveTaken' | 'callbacks'>>;

const ownOf = (event: DisputeEvent): Own => {
  switch (event.type) {
    case 'ReversalReported': {
      const { operation, isAboveTaken = false, callbacks } = event.data;
      return { kind: 'reversal', shown: { transactionType: operation, stage: `${operation}_approved` }, isAboveTaken, callbacks };
    }
    case 'ChargebackReceived': {
      const { stage, isAboveTaken = false, callbacks, respondBy } = event.data;
      const shown = { transactionType: 'chargeback', stage: 'chargeback_approved' } as const;
      return { kind: 'chargeback', stage, shown, isAboveTaken, callbacks, ...(respondBy !== undefined && { respondBy }) };
    }
    case 'RepresentmentReported': {
      const { stage, outcome, callbacks } = event.data;
      const shown = { transactionType: 'chargeback', stage: outcome === 'won' ? 'chargeback_rejected' : 'chargeback_approved' } as const;
      return { kind: 'representment', stage, outcome, shown, callbacks };
    }
    case 'FraudWarningReceived':
      return { kind: 'fraud-warning', callbacks: event.data.callbacks };
    case 'ReportSetAside': {
      const { kind, cause, stage = null, outcome = null } = event.data;
      return { kind, misfit: cause, stage, outcome };
    }
  }
};

const reportOf = (event: DisputeEvent, eventId: LogEvent['id']): ReportView => {
  const { gate, reportId, source, reasonCode = null, happenedAt = null, receivedAt } = event.data;
  const amount: Money | undefined = event.data.amount;
  return {
    gate,
    reportId,
    source,
    stage: null,
    outcome: null,
    amountMinor: amount?.minor.toString() ?? null,
    currency: amount?.currency ?? null,
    reasonCode,
    happenedAt,
    receivedAt,
    shown: null,
    misfit: null,
    isAboveTaken: false,
    callbacks: [],
    eventId,
    ...ownOf(event),
  };
};

/** @throws CannotApply if the event cannot follow the previous ones */
export const foldDispute = (
  { status, reports = [], transactionType, stage }: OrderStatusView,
  event: DisputeEvent,
  id: LogEvent['id'],
): Pick<OrderStatusView, 'reports' | 'transactionType' | 'stage'> => {
  if (status !== 'approved' && event.type !== 'ReportSetAside') throw new CannotApply(`${event.type} of an order that is ${status}`);
  const report = reportOf(event, id);
  return { reports: [...reports, report], transactionType, stage, ...report.shown };
};

/** Used if an operator resolves an outcome as declined (protocol decisions, section 4). */
const RESOLVED_DECLINED = resultCode('do-not-honour');

type Draft = { -readonly [Member in keyof FollowUpView]: FollowUpView[Member] };

const accepted = ({ data }: FollowUpAccepted, serial: SerialNumber): FollowUpView => ({
  number: data.number,
  serial,
  operation: data.operation,
  status: 'processing',
  stage: `${data.operation}_processing`,
  amountMinor: data.amount.minor.toString(),
  attemptKey: null,
  receipt: null,
  approvalCode: null,
  acceptedAt: data.acceptedAt,
  processingAt: null,
  finalAt: null,
  code: null,
  advice: null,
  callbacks: [],
  finalEventId: null,
  conflicts: 0,
});

const move = (draft: Draft, status: FollowUpStatus): void => {
  draft.status = status;
  draft.stage = `${draft.operation}_${status}`;
  delete draft.unknownSince;
};

const end = (
  draft: Draft,
  status: FollowUpStatus,
  event: Exclude<FollowUpEvent, { type: 'FollowUpAccepted' }>,
  finalAt: Instant,
  id: LogEvent['id'],
): void => {
  move(draft, status);
  draft.finalAt = finalAt;
  draft.callbacks = 'callbacks' in event.data ? event.data.callbacks : [];
  draft.finalEventId = id;
};

const follow = (draft: Draft, event: Exclude<FollowUpEvent, { type: 'FollowUpAccepted' }>, id: LogEvent['id']): void => {
  if (draft.finalEventId !== null && event.type !== 'LateFollowUpConflict' && event.type !== 'FollowUpReconciled') {
    throw new CannotApply(`${event.type} of a follow-up that is ${draft.status}`);
  }
  switch (event.type) {
    case 'FollowUpStarted':
      draft.attemptKey = event.data.attemptKey;
      draft.processingAt = event.data.startedAt;
      return;
    case 'FollowUpUnknown':
      move(draft, 'unknown');
      draft.unknownSince = event.data.answeredAt;
      return;
    case 'FollowUpApproved':
      end(draft, 'approved', event, event.data.approvedAt, id);
      draft.receipt = event.data.receipt;
      draft.approvalCode = event.data.approvalCode;
      return;
    case 'FollowUpDeclined':
      end(draft, 'declined', event, event.data.declinedAt, id);
      draft.code = event.data.code;
      draft.receipt = event.data.receipt ?? null;
      draft.advice = event.data.advice ?? null;
      return;
    case 'FollowUpFailed':
      end(draft, 'error', event, event.data.failedAt, id);
      draft.code = event.data.code;
      return;
    case 'FollowUpSettled':
      end(draft, event.data.as, event, event.data.settledAt, id);
      draft.code = event.data.as === 'declined' ? RESOLVED_DECLINED : null;
      return;
    case 'LateFollowUpConflict':
      draft.conflicts += 1;
      return;
    case 'FollowUpReconciled':
      if (draft.finalEventId === null) throw new CannotApply(`${event.type} of a follow-up that is ${draft.status}`);
      end(draft, event.data.to, event, event.data.reconciledAt, id);
      draft.code = event.data.to === 'declined' ? RESOLVED_DECLINED : null;
      draft.approvalCode = null;
      draft.advice = null;
      return;
    default:
      return unreachable(event);
  }
};

/** Never the status; type and stage once the follow-up is approved (protocol decisions, section 2). */
type Changed = Pick<OrderStatusView, 'followUps' | 'requests' | 'transactionType' | 'stage'>;

/** Of the latest follow-up or report that moved money and was not undone; otherwise of the order. */
const latestMove = (
  { operation, reports = [] }: OrderStatusView,
  followUps: readonly FollowUpView[],
): Pick<Changed, 'transactionType' | 'stage'> => {
  const approved = followUps.findLast(({ status }) => status === 'approved');
  const report = reports.findLast(({ shown }) => shown !== null);
  if (report?.shown != null && report.receivedAt >= (approved?.finalAt ?? 0)) return report.shown;
  if (approved !== undefined) return { transactionType: approved.operation, stage: approved.stage };
  const words = OPERATION_WORDS[operation];
  return { transactionType: words.transactionType, stage: `${words.stage}_approved` };
};

/** @throws CannotApply if the event cannot follow the previous ones */
export const foldFollowUp = (order: OrderStatusView, event: FollowUpEvent, id: LogEvent['id'], serial: SerialNumber): Changed => {
  const { followUps, requests, transactionType, stage } = order;
  // A gate may report a follow-up without effect after its order was reconciled to a decline.
  if (order.status !== 'approved' && event.type !== 'LateFollowUpConflict')
    throw new CannotApply(`${event.type} of an order that is ${order.status}`);
  if (event.type === 'FollowUpAccepted') {
    const { number, operation } = event.data;
    if (number !== followUps.length + 1) throw new CannotApply(`follow-up ${number} after ${followUps.length} of them`);
    const request = { serial, operation, eventId: id };
    return { followUps: [...followUps, accepted(event, serial)], requests: [...requests, request], transactionType, stage };
  }
  const index = event.data.number - 1;
  const before = followUps[index];
  if (before === undefined) throw new CannotApply(`${event.type} before FollowUpAccepted`);
  const draft: Draft = { ...before };
  follow(draft, event, id);
  const after = followUps.with(index, draft);
  const isApprovedNow = draft.status === 'approved' && before.status !== 'approved';
  if (isApprovedNow) return { followUps: after, requests, transactionType: draft.operation, stage: draft.stage };
  const isApprovedNoMore = before.status === 'approved' && draft.status !== 'approved';
  return { followUps: after, requests, ...(isApprovedNoMore ? latestMove(order, after) : { transactionType, stage }) };
};
