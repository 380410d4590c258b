import {
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
import type { AttemptEvent, AttemptSettled, IssuerFacts, LateResultConflict, NotAskedCause, Receipt, UnknownCause } from './attempt.events';

/** The newest attempt of an order; every earlier one had its outcome before this one began. */
export type Attempts =
  | { readonly status: 'none' }
  | (Attempt & { readonly status: 'started' })
  | (Attempt & {
      readonly status: 'unknown';
      readonly cause: UnknownCause;
      readonly unknownSince: Instant;
      readonly isPayerBack: boolean;
      readonly callEndedAt?: Instant;
    })
  | (Attempt & { readonly status: 'payer-needed'; readonly page: Sealed; readonly payerDueAt: Instant })
  | (Attempt & { readonly status: 'payer-returned'; readonly returnedAt: Instant })
  | (Attempt & { readonly status: 'approved'; readonly by: 'gate'; readonly receipt: Receipt; readonly approvalCode: string })
  | (Attempt & { readonly status: 'approved'; readonly by: 'person' })
  | (Attempt & {
      readonly status: 'declined';
      readonly by: 'gate' | 'payer-absent';
      readonly code: number;
      readonly receipt?: Receipt;
      readonly advice?: string;
    })
  | (Attempt & { readonly status: 'declined'; readonly by: 'person'; readonly code: number })
  | (Attempt & { readonly status: 'not-asked'; readonly cause: NotAskedCause });

export interface Attempt {
  readonly key: AttemptKey;
  readonly number: number;
  readonly gate: GateAlias;
  readonly amount: Money;
  readonly startedAt: Instant;
  /** When something last left for the gate under this key; the flight of a `not-found` counts from here. */
  readonly sentAt: Instant;
  readonly conflicts: readonly LateResultConflict['data']['told'][];
  /** Earlier attempts, oldest first; at most one for each step of the routing plan. */
  readonly earlier: readonly EarlierAttempt[];
}

/** An attempt that another one followed: a definite no, which its gate may still revoke. */
export interface EarlierAttempt extends Pick<Attempt, 'key' | 'conflicts'> {
  readonly status: 'declined' | 'not-asked';
}

/** A gate's answer in the domain's terms. */
export type GateAnswer =
  | { readonly kind: 'approved'; readonly receipt: Receipt; readonly approvalCode: string }
  | { readonly kind: 'declined'; readonly receipt: Receipt; readonly code: number; readonly advice?: string }
  | { readonly kind: 'payer-needed'; readonly transactionId: string; readonly page: Sealed; readonly payerDueAt: Instant }
  /** `isCallOver`: the call itself ended with this; otherwise it may still be running, or was another's. */
  | { readonly kind: 'unknown'; readonly cause: UnknownCause; readonly isCallOver?: boolean }
  | { readonly kind: 'not-asked'; readonly cause: NotAskedCause };

export type AttemptCommand =
  | {
      readonly type: 'StartAttempt';
      readonly data: {
        readonly key: AttemptKey;
        readonly gate: GateAlias;
        readonly amount: Money;
        readonly issuer?: IssuerFacts;
        readonly now: Instant;
      };
    }
  | {
      /** Sent by the process that made the claim and knows that nothing has left under it: what leaves now counts from now. */
      readonly type: 'RenewClaim';
      readonly data: {
        readonly key: AttemptKey;
        /** The moment that the renewed claim names. */
        readonly sentAt: Instant;
        readonly issuer?: IssuerFacts;
        readonly now: Instant;
      };
    }
  | {
      readonly type: 'RecordAnswer';
      readonly data: {
        readonly key: AttemptKey;
        readonly answer: GateAnswer;
        /** Present where the answer holds only for what had left for the gate by then: a "not found" of the first leg says nothing of the second. */
        readonly judgedSentAt?: Instant;
        readonly now: Instant;
      };
    }
  | { readonly type: 'RecordPayerReturn'; readonly data: { readonly key: AttemptKey; readonly now: Instant } }
  | {
      readonly type: 'DeclineAbsentPayer';
      readonly data: {
        readonly key: AttemptKey;
        readonly now: Instant;
        /** True where the deadline has passed by monotonic time although the wall clock, which was set back, does not show it. */
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
  | { readonly reason: 'nothing-to-settle' | 'claim-lost' };

/** The payer failed the authentication or did not come back in time (protocol decisions, section 4). */
export const PAYER_FAILED = resultCode('payer-not-authenticated');
/** The code of an order that a person resolves as declined (protocol decisions, section 4). */
export const RESOLVED_DECLINE = resultCode('do-not-honour');

/** A no that its gate revoked is not definite: money moved, and another attempt would charge twice. */
export const isTakenBack = ({ conflicts, earlier }: Pick<Attempt, 'conflicts' | 'earlier'>): boolean =>
  conflicts.includes('approved') || earlier.some((before) => before.conflicts.includes('approved'));

const earlierOf = (state: Attempts): readonly EarlierAttempt[] => {
  if (state.status === 'none') return [];
  const { status, key, conflicts, earlier } = state;
  return status === 'declined' || status === 'not-asked' ? [...earlier, { status, key, conflicts }] : earlier;
};

export const isAttemptOf = (state: Attempts, key: AttemptKey): boolean => state.status !== 'none' && state.key === key;

const evolve = (state: Attempts, event: AttemptEvent): Attempts => {
  if (event.type === 'AttemptStarted') {
    const { attemptKey, number, gate, amount, startedAt } = event.data;
    if (state.status !== 'none' && state.key === attemptKey && state.number === number) {
      if (state.status !== 'started' && state.status !== 'unknown')
        throw new Error(`AttemptStarted again of an attempt that is ${state.status}`);
      const { conflicts, earlier } = state;
      return { status: 'started', key: attemptKey, number, gate, amount, startedAt, sentAt: startedAt, conflicts, earlier };
    }
    const attempt = { key: attemptKey, number, gate, amount, startedAt, sentAt: startedAt, conflicts: [], earlier: earlierOf(state) };
    return { status: 'started', ...attempt };
  }
  if (state.status === 'none') throw new Error(`${event.type} before AttemptStarted`);
  const { key, number, gate, amount, startedAt, sentAt, conflicts, earlier } = state;
  if (key !== event.data.attemptKey) {
    const index = earlier.findIndex((before) => before.key === event.data.attemptKey);
    const before = earlier[index];
    if (before === undefined || event.type !== 'LateResultConflict') throw new Error(`${event.type} of another attempt than the newest`);
    return { ...state, earlier: earlier.with(index, { ...before, conflicts: [...before.conflicts, event.data.told] }) };
  }
  const attempt: Attempt = { key, number, gate, amount, startedAt, sentAt, conflicts, earlier };
  switch (event.type) {
    case 'AttemptApproved':
      return { status: 'approved', by: 'gate', receipt: event.data.receipt, approvalCode: event.data.approvalCode, ...attempt };
    case 'AttemptDeclined': {
      const { code, by, receipt, advice } = event.data;
      return { status: 'declined', by, code, ...attempt, ...(receipt && { receipt }), ...(advice !== undefined && { advice }) };
    }
    case 'AttemptUnknown': {
      const isPayerBack = state.status === 'payer-returned' || (state.status === 'unknown' && state.isPayerBack);
      const { cause, answeredAt: unknownSince, isCallOver } = event.data;
      return { status: 'unknown', cause, unknownSince, isPayerBack, ...attempt, ...(isCallOver === true && { callEndedAt: unknownSince }) };
    }
    case 'AttemptNotAsked':
      return { status: 'not-asked', cause: event.data.cause, ...attempt };
    case 'PayerChallenged':
      return { status: 'payer-needed', page: event.data.page, payerDueAt: event.data.payerDueAt, ...attempt };
    case 'PayerReturned':
      return { status: 'payer-returned', returnedAt: event.data.returnedAt, ...attempt, sentAt: event.data.returnedAt };
    case 'AttemptSettled':
      return event.data.as === 'approved'
        ? { status: 'approved', by: 'person', ...attempt }
        : { status: 'declined', by: 'person', code: RESOLVED_DECLINE, ...attempt };
    case 'LateResultConflict':
      return { ...state, conflicts: [...conflicts, event.data.told] };
    default:
      return unreachable(event);
  }
};

const startAttempt = (
  data: Extract<AttemptCommand, { type: 'StartAttempt' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  const { key, now, ...rest } = data;
  switch (state.status) {
    case 'none':
    case 'declined':
    case 'not-asked': {
      if (state.status !== 'none' && isTakenBack(state)) return { reason: 'attempt-approved' };
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
      const { transactionId, page, payerDueAt } = answer;
      return { type: 'PayerChallenged', data: { attemptKey: key, transactionId, page, payerDueAt, answeredAt: now } };
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

/** A renewal has the type of the claim that it renews: the payer's return claims the second leg, the start claims everything before it. */
const renewClaim = (
  { key, sentAt, issuer, now }: Extract<AttemptCommand, { type: 'RenewClaim' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  if (state.status === 'none' || state.key !== key || state.sentAt !== sentAt) return { reason: 'claim-lost' };
  const isSecondLeg = state.status === 'payer-returned' || (state.status === 'unknown' && state.isPayerBack);
  if (isSecondLeg) return [{ type: 'PayerReturned', data: { attemptKey: key, returnedAt: now } }];
  if (state.status !== 'started' && state.status !== 'unknown') return { reason: 'claim-lost' };
  const { number, gate, amount } = state;
  return [{ type: 'AttemptStarted', data: { attemptKey: key, number, gate, amount, ...(issuer && { issuer }), startedAt: now } }];
};

/** A definite answer that contradicts a known outcome is a fact of its own, also where another attempt followed; each answer is recorded once. */
const lateAnswer = (
  state: EarlierAttempt | Extract<Attempts, { status: 'approved' }>,
  answer: GateAnswer,
  now: Instant,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  const isContradiction = (answer.kind === 'approved' || answer.kind === 'declined') && answer.kind !== state.status;
  if (!isContradiction || state.conflicts.includes(answer.kind)) return { reason: 'nothing-new' };
  // A decline after "not asked" contradicts nothing that matters: either way nothing was charged.
  if (state.status === 'not-asked' && answer.kind === 'declined') return { reason: 'nothing-new' };
  const { transactionId } = answer.receipt;
  const data = { attemptKey: state.key, believed: state.status, told: answer.kind, transactionId, toldAt: now };
  return [{ type: 'LateResultConflict', data }];
};

const recordAnswer = (
  { key, answer, judgedSentAt, now }: Extract<AttemptCommand, { type: 'RecordAnswer' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
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
      if (answer.kind === 'unknown' || (answer.kind === 'payer-needed' && state.isPayerBack)) return { reason: 'nothing-new' };
      return [answerEvent(key, answer, now)];
    case 'payer-needed':
      // Nothing else was sent before the payer is back, so an unknown or a "not asked" of the first leg says nothing new.
      if (answer.kind !== 'approved' && answer.kind !== 'declined') return { reason: 'nothing-new' };
      return [answerEvent(key, answer, now)];
    case 'payer-returned':
      if (answer.kind === 'payer-needed') return { reason: 'nothing-new' };
      return [answerEvent(key, answer, now)];
    case 'started':
      return [answerEvent(key, answer, now)];
    default:
      return unreachable(state);
  }
};

const recordPayerReturn = (key: AttemptKey, now: Instant, state: Attempts): NonEmpty<AttemptEvent> | AttemptRejection => {
  if (state.status !== 'payer-needed' || state.key !== key) return { reason: 'payer-not-awaited' };
  if (now >= state.payerDueAt) return { reason: 'payer-too-late' };
  return [{ type: 'PayerReturned', data: { attemptKey: key, returnedAt: now } }];
};

const declineAbsentPayer = (
  { key, now, isTimeOver = false }: Extract<AttemptCommand, { type: 'DeclineAbsentPayer' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  if (state.status !== 'payer-needed' || state.key !== key) return { reason: 'payer-not-awaited' };
  if (now < state.payerDueAt && !isTimeOver) return { reason: 'payer-still-has-time' };
  return [{ type: 'AttemptDeclined', data: { attemptKey: key, code: PAYER_FAILED, by: 'payer-absent', answeredAt: now } }];
};

/** Only an outcome that may still be either needs a person; a definite answer and a challenge do not. */
const resolveAttempt = (
  { key, as, reason, now }: Extract<AttemptCommand, { type: 'ResolveAttempt' }>['data'],
  state: Attempts,
): NonEmpty<AttemptEvent> | AttemptRejection => {
  const isOpen = state.status === 'unknown' || state.status === 'started' || state.status === 'payer-returned';
  if (!isOpen || state.key !== key) return { reason: 'nothing-to-settle' };
  return [{ type: 'AttemptSettled', data: { attemptKey: key, as, reason, settledAt: now } }];
};

/**
 * One attempt after another at a gate: a sub-decider that every context's order composes. An unknown outcome blocks the next attempt (architecture,
 * rule 4).
 */
export const attempts: Decider<AttemptCommand, AttemptEvent, Attempts, AttemptRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: (command, state) => {
    switch (command.type) {
      case 'StartAttempt':
        return startAttempt(command.data, state);
      case 'RenewClaim':
        return renewClaim(command.data, state);
      case 'RecordAnswer':
        return recordAnswer(command.data, state);
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
