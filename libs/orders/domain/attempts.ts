import {
  present,
  resultCode,
  unreachable,
  type AttemptKey,
  type Decider,
  type GateAlias,
  type Instant,
  type Money,
  type NonEmpty,
  type Sealed,
} from '@app/kernel';
import type { ChargedBy } from './accepted-order';
import type { AttemptEvent, AttemptSettled, AttemptTaken, IssuerFacts, NotAskedCause, Receipt, UnknownCause } from './attempt.events';
import { evolveAttempts, isPayerBack, isRevoked, type Attempts, type EarlierAttempt } from './attempts.state';

export type GateAnswer =
  | { readonly kind: 'approved'; readonly receipt: Receipt; readonly approvalCode: string }
  | { readonly kind: 'declined'; readonly receipt: Receipt; readonly code: number; readonly advice?: string }
  | {
      readonly kind: 'payer-needed';
      readonly transactionId: string;
      readonly page: Sealed;
      readonly payerDueAt: Instant;
      readonly isHosted?: boolean;
    }
  /** `isCallOver`: otherwise the call may still be running or belong to another process. */
  | { readonly kind: 'unknown'; readonly cause: UnknownCause; readonly isCallOver?: boolean }
  | { readonly kind: 'not-asked'; readonly cause: NotAskedCause };

export type Taken = Pick<AttemptTaken['data'], 'gateOrderId' | 'session'>;

/** The gate waits for a fee choice. Only an order of the device interface has a consumer who can choose; for others the outcome is unknown. */
export interface GateChoice {
  readonly kind: 'choice-needed';
  readonly offers: NonEmpty<{ readonly option: string; readonly commission: Money }>;
  readonly session: Sealed;
  readonly choiceDueAt: Instant;
}

export type AttemptCommand =
  | {
      readonly type: 'StartAttempt';
      readonly data: {
        readonly key: AttemptKey;
        readonly gate: GateAlias;
        readonly amount: Money;
        readonly chargedBy?: ChargedBy;
        readonly issuer?: IssuerFacts;
        readonly now: Instant;
      };
    }
  | {
      /** Only for a process that knows that nothing left under its claim, so the flight counts from now. */
      readonly type: 'RenewClaim';
      readonly data: {
        readonly key: AttemptKey;
        readonly sentAt: Instant;
        readonly chargedBy?: ChargedBy;
        readonly issuer?: IssuerFacts;
        readonly now: Instant;
      };
    }
  | {
      readonly type: 'RecordAnswer';
      readonly data: {
        readonly key: AttemptKey;
        readonly answer: GateAnswer | GateChoice;
        /** Present if the answer covers only what had left by then: a "not found" of the first leg does not cover the second. */
        readonly judgedSentAt?: Instant;
        readonly now: Instant;
      };
    }
  | { readonly type: 'RecordTaken'; readonly data: { readonly key: AttemptKey; readonly taken: Taken; readonly now: Instant } }
  | { readonly type: 'RecordPayerReturn'; readonly data: { readonly key: AttemptKey; readonly now: Instant } }
  | {
      readonly type: 'DeclineAbsentPayer';
      readonly data: {
        readonly key: AttemptKey;
        readonly now: Instant;
        /** True if the deadline has passed by monotonic time but not by a wall clock that was set back. */
        readonly isTimeOver?: boolean;
      };
    }
  | {
      readonly type: 'ResolveAttempt';
      readonly data: {
        readonly key: AttemptKey;
        readonly as: AttemptSettled['data']['as'];
        readonly reason: Sealed;
        readonly now: Instant;
      };
    };

export type AttemptRejection =
  | { readonly reason: 'attempt-open' | 'attempt-approved' | 'nothing-new' }
  | { readonly reason: 'payer-not-awaited' | 'payer-too-late' | 'payer-still-has-time' }
  | { readonly reason: 'nothing-to-resolve' | 'claim-lost' };

export const PAYER_FAILED = resultCode('payer-not-authenticated');
const startAttempt = (
  data: Extract<AttemptCommand, { type: 'StartAttempt' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  const { key, now, ...rest } = data;
  switch (state.status) {
    case 'none':
    case 'declined':
    case 'not-asked': {
      if (state.status !== 'none' && isRevoked(state)) return { reason: 'attempt-approved' };
      const number = state.status === 'none' ? 1 : state.number + 1;
      return [{ type: 'AttemptStarted', data: { attemptKey: key, number, startedAt: now, ...rest } }];
    }
    case 'approved':
      return { reason: 'attempt-approved' };
    case 'started':
    case 'unknown':
    case 'payer-needed':
    case 'payer-returned':
      return { reason: 'attempt-open' };
    default:
      return unreachable(state);
  }
};

/** An attempt without the device interface has no consumer who could choose. */
const withoutChoice = (answer: GateAnswer | GateChoice): GateAnswer =>
  answer.kind === 'choice-needed' ? { kind: 'unknown', cause: 'gate-undecided', isCallOver: true } : answer;

const answerEvent = (key: AttemptKey, answer: GateAnswer, now: Instant): AttemptEvent => {
  switch (answer.kind) {
    case 'approved':
      return {
        type: 'AttemptApproved',
        data: { attemptKey: key, receipt: answer.receipt, approvalCode: answer.approvalCode, answeredAt: now },
      };
    case 'declined': {
      const { code, receipt, advice } = answer;
      const data = { attemptKey: key, code, by: 'gate' as const, receipt, answeredAt: now, ...(advice !== undefined && { advice }) };
      return { type: 'AttemptDeclined', data };
    }
    case 'payer-needed': {
      const { transactionId, page, payerDueAt, isHosted } = answer;
      const data = { attemptKey: key, transactionId, page, payerDueAt, answeredAt: now };
      return { type: 'PayerChallenged', data: { ...data, ...(isHosted === true && { isHosted }) } };
    }
    case 'unknown':
      return {
        type: 'AttemptUnknown',
        data: { attemptKey: key, cause: answer.cause, answeredAt: now, ...(answer.isCallOver === true && { isCallOver: true }) },
      };
    case 'not-asked':
      return { type: 'AttemptNotAsked', data: { attemptKey: key, cause: answer.cause, answeredAt: now } };
    default:
      return unreachable(answer);
  }
};

/** The payer's return claims the second leg, the start everything before it. */
const renewClaim = (
  { key, sentAt, issuer, chargedBy, now }: Extract<AttemptCommand, { type: 'RenewClaim' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  if (state.status === 'none' || state.key !== key || state.sentAt !== sentAt) return { reason: 'claim-lost' };
  if (isPayerBack(state)) return [{ type: 'PayerReturned', data: { attemptKey: key, returnedAt: now } }];
  if (state.status !== 'started' && state.status !== 'unknown') return { reason: 'claim-lost' };
  const { number, gate, amount } = state;
  const sent = { ...(chargedBy && { chargedBy }), ...(issuer && { issuer }) };
  return [{ type: 'AttemptStarted', data: { attemptKey: key, number, gate, amount, ...sent, startedAt: now } }];
};

/** A definite answer that contradicts a known outcome is recorded once per answer, even if another attempt followed. */
const lateAnswer = (
  state: EarlierAttempt | Extract<Attempts, { status: 'approved' }>,
  answer: GateAnswer,
  now: Instant,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  const isContradiction = (answer.kind === 'approved' || answer.kind === 'declined') && answer.kind !== state.status;
  if (!isContradiction || state.conflicts.includes(answer.kind)) return { reason: 'nothing-new' };
  // A decline after "not asked" is no contradiction: either way nothing was charged.
  if (state.status === 'not-asked' && answer.kind === 'declined') return { reason: 'nothing-new' };
  const { transactionId } = answer.receipt;
  const data = { attemptKey: state.key, believed: state.status, told: answer.kind, transactionId, toldAt: now };
  return [{ type: 'LateResultConflict', data }];
};

/**
 * If the outcome is missing when the payer's time is over, it becomes unknown and visible to operators. A refusal is believed only as an answer to an
 * inquiry, because the gate had accepted the request.
 */
const answerAtHostedChallenge = (
  { key, judgedSentAt, now }: Extract<AttemptCommand, { type: 'RecordAnswer' }>['data'],
  answer: GateAnswer,
  payerDueAt: Instant,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  if (answer.kind === 'not-asked' && judgedSentAt !== undefined) return [answerEvent(key, answer, now)];
  if (now < payerDueAt) return { reason: 'nothing-new' };
  return [answerEvent(key, { kind: 'unknown', cause: 'gate-undecided', isCallOver: true }, now)];
};

const recordAnswer = (
  data: Extract<AttemptCommand, { type: 'RecordAnswer' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  const { key, judgedSentAt, now } = data;
  const answer = withoutChoice(data.answer);
  if (state.status === 'none') return { reason: 'nothing-new' };
  if (state.key !== key) {
    const before = state.earlier.find((one) => one.key === key);
    return before === undefined ? { reason: 'nothing-new' } : lateAnswer(before, answer, now);
  }
  if (judgedSentAt !== undefined && judgedSentAt !== state.sentAt) return { reason: 'nothing-new' };
  switch (state.status) {
    case 'approved':
    case 'declined':
    case 'not-asked':
      return lateAnswer(state, answer, now);
    case 'unknown':
      if (answer.kind === 'unknown') return { reason: 'nothing-new' };
      if (answer.kind === 'payer-needed' && (state.isPayerBack || state.isHosted === true)) return { reason: 'nothing-new' };
      return [answerEvent(key, answer, now)];
    case 'payer-needed':
      if (answer.kind === 'approved' || answer.kind === 'declined') return [answerEvent(key, answer, now)];
      if (state.isHosted === true) return answerAtHostedChallenge(data, answer, state.payerDueAt);
      // Nothing else is sent before the payer is back, so an unknown or a "not asked" of the first leg adds nothing.
      return { reason: 'nothing-new' };
    case 'payer-returned':
      if (answer.kind === 'payer-needed') return { reason: 'nothing-new' };
      return [answerEvent(key, answer, now)];
    case 'started':
      return [answerEvent(key, answer, now)];
    default:
      return unreachable(state);
  }
};

/** Keeps the first values that the gate gave. */
const recordTaken = (
  { key, taken, now }: Extract<AttemptCommand, { type: 'RecordTaken' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  if (state.status === 'none' || state.key !== key) return { reason: 'nothing-new' };
  if (state.status === 'approved' || state.status === 'declined' || state.status === 'not-asked') return { reason: 'nothing-new' };
  const given = present({
    gateOrderId: state.gateOrderId === undefined ? taken.gateOrderId : undefined,
    session: state.session === undefined ? taken.session : undefined,
  });
  if (Object.keys(given).length === 0) return { reason: 'nothing-new' };
  return [{ type: 'AttemptTaken', data: { attemptKey: key, ...given, takenAt: now } }];
};

const recordPayerReturn = (key: AttemptKey, now: Instant, state: Attempts): NonEmpty<AttemptEvent> | AttemptRejection => {
  if (state.status !== 'payer-needed' || state.key !== key || state.isHosted === true) return { reason: 'payer-not-awaited' };
  if (now >= state.payerDueAt) return { reason: 'payer-too-late' };
  return [{ type: 'PayerReturned', data: { attemptKey: key, returnedAt: now } }];
};

const declineAbsentPayer = (
  { key, now, isTimeOver = false }: Extract<AttemptCommand, { type: 'DeclineAbsentPayer' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  if (state.status !== 'payer-needed' || state.key !== key || state.isHosted === true) return { reason: 'payer-not-awaited' };
  if (now < state.payerDueAt && !isTimeOver) return { reason: 'payer-still-has-time' };
  return [{ type: 'AttemptDeclined', data: { attemptKey: key, code: PAYER_FAILED, by: 'payer-absent', answeredAt: now } }];
};

/** A definite answer and a challenge need no operator. */
const resolveAttempt = (
  { key, as, reason, now }: Extract<AttemptCommand, { type: 'ResolveAttempt' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  const isOpen = state.status === 'unknown' || state.status === 'started' || state.status === 'payer-returned';
  if (!isOpen || state.key !== key) return { reason: 'nothing-to-resolve' };
  return [{ type: 'AttemptSettled', data: { attemptKey: key, as, reason, settledAt: now } }];
};

/** An unknown outcome blocks the next attempt (architecture, rule 4). */
export const attempts: Decider<AttemptCommand, AttemptEvent, Attempts, AttemptRejection> = {
  initial: { status: 'none' },
  evolve: evolveAttempts,
  decide: (command, state) => {
    switch (command.type) {
      case 'StartAttempt':
        return startAttempt(command.data, state);
      case 'RenewClaim':
        return renewClaim(command.data, state);
      case 'RecordAnswer':
        return recordAnswer(command.data, state);
      case 'RecordTaken':
        return recordTaken(command.data, state);
      case 'RecordPayerReturn':
        return recordPayerReturn(command.data.key, command.data.now, state);
      case 'DeclineAbsentPayer':
        return declineAbsentPayer(command.data, state);
      case 'ResolveAttempt':
        return resolveAttempt(command.data, state);
      default:
        return unreachable(command);
    }
  },
};
