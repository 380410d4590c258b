import { resultCode, unreachable, type AttemptKey, type Instant, type NonEmpty, type Sealed, type GateAlias, addMs } from '@app/kernel';
import type { GateAnswer } from './attempts';
import type { FollowedOrder } from './followed-order';
import { type FollowUpEvent, followUpClaimedAt, isFinal, isWaiting, type FollowUp, type FollowUps, mayHaveMoved } from './follow-up.events';
import { flightEndsAt, nextInquiryAt } from './inquiry-schedule';
import { isStillCovered, requestFollowUp, type FollowUpRefusal, type RequestFollowUp } from './request-follow-up';
import type { ReconciliationRejection } from './reconcile-outcome';
import type { FollowUpReconciled, ReconciledOutcome } from './final.events';

interface ReconcileFollowUp {
  readonly type: 'ReconcileFollowUp';
  readonly data: {
    readonly number: number;
    readonly gate: GateAlias;
    readonly to: ReconciledOutcome;
    readonly caseId: string;
    readonly reason: Sealed;
    readonly now: Instant;
  };
}

/** A return or reversal report belongs to the capture of its money. */
const standsOn = (followUp: FollowUp, order: FollowedOrder, followUps: FollowUps): boolean => {
  if (followUp.operation !== 'capture') return false;
  const isTakenBack = 'takenBackMinor' in order && order.takenBackMinor > 0n;
  return isTakenBack || followUps.some((other) => other.operation === 'reversal' && mayHaveMoved(other));
};

/** Approved only if the order's money covers it with all others (safety, I12); undone only if nothing depends on it. */
const reconcileFollowUp = (
  { number, gate, to, caseId, reason, now }: ReconcileFollowUp['data'],
  order: FollowedOrder,
  followUps: FollowUps,
): NonEmpty<FollowUpReconciled> | ReconciliationRejection => {
  const followUp = followUps[number - 1];
  if (followUp === undefined || followUp.gate !== gate) return { reason: 'another-attempt' };
  if (!isFinal(followUp)) return { reason: 'order-not-final' };
  const { status: from, callbacks } = followUp;
  if (from === to || (from === 'failed' && to === 'declined')) return { reason: 'nothing-new' };
  if (to === 'declined' && standsOn(followUp, order, followUps)) return { reason: 'follow-ups-moved' };
  const others = followUps.filter((other) => other.number !== number);
  if (to === 'approved' && !isStillCovered(followUp, { order, followUps: others, now })) return { reason: 'not-covered' };
  return [{ type: 'FollowUpReconciled', data: { number, from, to, caseId, gate, reason, callbacks, reconciledAt: now } }];
};

/** A follow-up's answer never asks for a payer. */
export type FollowUpAnswer = Exclude<GateAnswer, { kind: 'payer-needed' }>;

export type FollowUpCommand =
  | RequestFollowUp
  | {
      readonly type: 'StartFollowUp';
      readonly data: { readonly number: number; readonly key: AttemptKey; readonly now: Instant };
    }
  | {
      readonly type: 'RenewFollowUp';
      readonly data: { readonly number: number; readonly key: AttemptKey; readonly sentAt: Instant; readonly now: Instant };
    }
  | {
      readonly type: 'RecordFollowUpAnswer';
      readonly data: {
        readonly number: number;
        readonly key: AttemptKey;
        readonly answer: FollowUpAnswer;
        readonly judgedSentAt?: Instant;
        readonly now: Instant;
      };
    }
  | {
      readonly type: 'ResolveUnknownFollowUp';
      readonly data: {
        readonly number: number;
        readonly as: 'approved' | 'declined';
        readonly reason: Sealed;
        readonly now: Instant;
      };
    }
  | ReconcileFollowUp;

export type FollowUpRejection =
  | FollowUpRefusal
  | ReconciliationRejection
  | { readonly reason: 'nothing-new' | 'follow-up-started' | 'follow-up-waits' | 'nothing-to-resolve' | 'claim-lost' | 'flight-not-over' };

type FollowUpDecision = NonEmpty<FollowUpEvent> | FollowUpRejection;

const NAMES: { readonly [Type in FollowUpCommand['type']]: Type } = {
  RequestFollowUp: 'RequestFollowUp',
  StartFollowUp: 'StartFollowUp',
  RenewFollowUp: 'RenewFollowUp',
  RecordFollowUpAnswer: 'RecordFollowUpAnswer',
  ResolveUnknownFollowUp: 'ResolveUnknownFollowUp',
  ReconcileFollowUp: 'ReconcileFollowUp',
};

export const isFollowUpCommand = <Other extends { readonly type: string }>(command: FollowUpCommand | Other): command is FollowUpCommand =>
  Object.hasOwn(NAMES, command.type);

/** The gate never received it, or could not be asked (protocol decisions, section 4). */
const FAILURE_CODES = {
  'never-heard-of': resultCode('interrupted-before-gate'),
  unavailable: resultCode('no-gate-available'),
  'refused-by-gate': resultCode('no-gate-available'),
} as const;

/** After this moment nothing of the follow-up is in flight, whichever process sent it. */
export const followUpFlightEndsAt = (followUp: Extract<FollowUp, { key: AttemptKey }>): Instant => {
  const callEndedAt = followUp.status === 'unknown' ? followUp.callEndedAt : undefined;
  return flightEndsAt({ sentAt: followUp.startedAt, ...(callEndedAt !== undefined && { callEndedAt }) }, followUp.longestFlightMs);
};

const answerEvent = ({ number, callbacks }: FollowUp, answer: FollowUpAnswer, now: Instant): FollowUpEvent => {
  switch (answer.kind) {
    case 'approved': {
      const { receipt, approvalCode } = answer;
      return { type: 'FollowUpApproved', data: { number, receipt, approvalCode, callbacks, approvedAt: now } };
    }
    case 'declined': {
      const { code, receipt, advice } = answer;
      const data = { number, code, receipt, callbacks, declinedAt: now, ...(advice !== undefined && { advice }) };
      return { type: 'FollowUpDeclined', data };
    }
    case 'unknown':
      return {
        type: 'FollowUpUnknown',
        data: { number, cause: answer.cause, answeredAt: now, ...(answer.isCallOver === true && { isCallOver: true }) },
      };
    case 'not-asked':
      return { type: 'FollowUpFailed', data: { number, code: FAILURE_CODES[answer.cause], callbacks, failedAt: now } };
    default:
      return unreachable(answer);
  }
};

const lateAnswer = (followUp: Extract<FollowUp, { conflicts: unknown }>, answer: FollowUpAnswer, now: Instant): FollowUpDecision => {
  if (answer.kind !== 'approved' && answer.kind !== 'declined') return { reason: 'nothing-new' };
  const { number, status, conflicts } = followUp;
  // A decline after a failure is no contradiction: either way nothing moved.
  const isSame = answer.kind === status || (answer.kind === 'declined' && status === 'failed');
  if (isSame || conflicts.includes(answer.kind)) return { reason: 'nothing-new' };
  const { transactionId } = answer.receipt;
  return [{ type: 'LateFollowUpConflict', data: { number, believed: status, told: answer.kind, transactionId, toldAt: now } }];
};

const recordAnswer = (
  { key, answer, judgedSentAt, now }: Extract<FollowUpCommand, { type: 'RecordFollowUpAnswer' }>['data'],
  followUp: FollowUp,
): FollowUpDecision => {
  if (followUp.status === 'accepted' || followUp.key !== key) return { reason: 'nothing-new' };
  if (judgedSentAt !== undefined && judgedSentAt !== followUp.startedAt) return { reason: 'nothing-new' };
  if (isFinal(followUp)) return lateAnswer(followUp, answer, now);
  if (followUp.status === 'unknown' && answer.kind === 'unknown') return { reason: 'nothing-new' };
  return [answerEvent(followUp, answer, now)];
};

/** If no longer covered, it ends in the append of its claim, and no gate is asked. */
const start = (
  { key, now }: Extract<FollowUpCommand, { type: 'StartFollowUp' }>['data'],
  followUp: FollowUp,
  order: FollowedOrder,
  followUps: FollowUps,
): FollowUpDecision => {
  if (followUp.status !== 'accepted') return { reason: 'follow-up-started' };
  if (isWaiting(followUp, followUps)) return { reason: 'follow-up-waits' };
  const begun: FollowUpEvent = { type: 'FollowUpStarted', data: { number: followUp.number, attemptKey: key, startedAt: now } };
  if (isStillCovered(followUp, { order, followUps, now })) return [begun];
  return [begun, answerEvent(followUp, { kind: 'not-asked', cause: 'refused-by-gate' }, now)];
};

const renew = ({ key, sentAt, now }: Extract<FollowUpCommand, { type: 'RenewFollowUp' }>['data'], followUp: FollowUp): FollowUpDecision => {
  if (followUpClaimedAt(followUp, key) !== sentAt) return { reason: 'claim-lost' };
  return [{ type: 'FollowUpStarted', data: { number: followUp.number, attemptKey: key, startedAt: now } }];
};

const resolve = (
  { as, reason, now }: Extract<FollowUpCommand, { type: 'ResolveUnknownFollowUp' }>['data'],
  followUp: FollowUp,
): FollowUpDecision => {
  if (followUp.status !== 'unknown' && followUp.status !== 'started') return { reason: 'nothing-to-resolve' };
  const isCallOver = followUp.status === 'unknown' && followUp.callEndedAt !== undefined;
  if (!isCallOver && now < followUpFlightEndsAt(followUp)) return { reason: 'flight-not-over' };
  const { number, callbacks } = followUp;
  return [{ type: 'FollowUpSettled', data: { number, as, reason, callbacks, settledAt: now } }];
};

/** Several may be open at once; together they never move more than there is (safety, I12). None changes the order's outcome. */
export const decideFollowUp = (command: FollowUpCommand, order: FollowedOrder, followUps: FollowUps): FollowUpDecision => {
  if (command.type === 'RequestFollowUp') return requestFollowUp(command.data, order, followUps);
  if (command.type === 'ReconcileFollowUp') return reconcileFollowUp(command.data, order, followUps);
  const followUp = followUps[command.data.number - 1];
  if (followUp === undefined) return { reason: command.type === 'ResolveUnknownFollowUp' ? 'nothing-to-resolve' : 'nothing-new' };
  switch (command.type) {
    case 'StartFollowUp':
      return start(command.data, followUp, order, followUps);
    case 'RenewFollowUp':
      return renew(command.data, followUp);
    case 'RecordFollowUpAnswer':
      return recordAnswer(command.data, followUp);
    case 'ResolveUnknownFollowUp':
      return resolve(command.data, followUp);
    default:
      return unreachable(command);
  }
};

export type NextFollowUpStep =
  | { readonly task: 'submit' | 'inquire'; readonly dueAt: Instant }
  /** An earlier follow-up must have an outcome first. */
  | { readonly task: 'wait'; readonly dueAt: Instant }
  | { readonly task: 'nothing' };

export const WAIT_CHECK_MS = 15_000;

export const nextFollowUpStep = (followUp: FollowUp, followUps: FollowUps, now: Instant): NextFollowUpStep => {
  switch (followUp.status) {
    case 'accepted':
      return isWaiting(followUp, followUps)
        ? { task: 'wait', dueAt: addMs(now, WAIT_CHECK_MS) }
        : { task: 'submit', dueAt: followUp.acceptedAt };
    case 'started':
    case 'unknown': {
      const { startedAt } = followUp;
      return { task: 'inquire', dueAt: nextInquiryAt(startedAt, followUpFlightEndsAt(followUp) - startedAt, now) };
    }
    case 'approved':
    case 'declined':
    case 'failed':
      return { task: 'nothing' };
    default:
      return unreachable(followUp);
  }
};
