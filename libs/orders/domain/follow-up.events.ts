import { type AttemptKey, type GateAlias, type Instant, type Money, type ResultCode, type Sealed, unreachable } from '@app/kernel';
import type { CallbackTarget } from './accepted-order';
import type { Receipt, UnknownCause } from './attempt.events';
import type { FollowUpReconciled } from './final.events';

/** At the gate that approved the order (protocol decisions, section 10). A return of an amount never captured is a cancel. */
export const FOLLOW_UP_OPERATIONS = ['capture', 'reversal', 'cancel', 'void'] as const;
export type FollowUpOperation = (typeof FOLLOW_UP_OPERATIONS)[number];

/** Always becomes final, even if no caller waits. The request's serial is the event's correlation. */
export type FollowUpAccepted = {
  readonly type: 'FollowUpAccepted';
  readonly data: {
    readonly number: number;
    readonly operation: FollowUpOperation;
    readonly amount: Money;
    /** The approved attempt, which names the gate. */
    readonly original: AttemptKey;
    readonly gate: GateAlias;
    readonly longestFlightMs: number;
    readonly comment?: Sealed;
    /** An operator's, who is the actor of the event; absent for a request of the merchant. */
    readonly reason?: Sealed;
    readonly callbacks: readonly CallbackTarget[];
    readonly acceptedAt: Instant;
  };
};

/** Durable before the gate is called. By exact revision it is also the calling process's claim; a second one renews it before anything has left. */
export type FollowUpStarted = {
  readonly type: 'FollowUpStarted';
  readonly data: { readonly number: number; readonly attemptKey: AttemptKey; readonly startedAt: Instant };
};

/** Money may have moved; only the gate or an operator can decide. */
export type FollowUpUnknown = {
  readonly type: 'FollowUpUnknown';
  readonly data: {
    readonly number: number;
    readonly cause: UnknownCause;
    readonly answeredAt: Instant;
    readonly isCallOver?: boolean;
  };
};

/** Final, as the next two. The event's id is the delivery id of its callbacks. */
export type FollowUpApproved = {
  readonly type: 'FollowUpApproved';
  readonly data: {
    readonly number: number;
    readonly receipt: Receipt;
    readonly approvalCode: string;
    readonly callbacks: readonly CallbackTarget[];
    readonly approvedAt: Instant;
  };
};

export type FollowUpDeclined = {
  readonly type: 'FollowUpDeclined';
  readonly data: {
    readonly number: number;
    readonly code: number;
    readonly receipt?: Receipt;
    readonly advice?: string;
    readonly callbacks: readonly CallbackTarget[];
    readonly declinedAt: Instant;
  };
};

/** Certain that nothing moved: 121 if the gate never received it, 122 if the gate could not be asked. */
export type FollowUpFailed = {
  readonly type: 'FollowUpFailed';
  readonly data: {
    readonly number: number;
    readonly code: ResultCode<'interrupted-before-gate' | 'no-gate-available'>;
    readonly callbacks: readonly CallbackTarget[];
    readonly failedAt: Instant;
  };
};

/** Final too: an operator's decision if the gate never answered. The operator is in the metadata, the grounds are sealed. */
export type FollowUpSettled = {
  readonly type: 'FollowUpSettled';
  readonly data: {
    readonly number: number;
    readonly as: 'approved' | 'declined';
    readonly reason: Sealed;
    readonly callbacks: readonly CallbackTarget[];
    readonly settledAt: Instant;
  };
};

/** Recorded and alarmed, as `LateResultConflict` for an attempt. */
export type LateFollowUpConflict = {
  readonly type: 'LateFollowUpConflict';
  readonly data: {
    readonly number: number;
    readonly believed: 'approved' | 'declined' | 'failed';
    readonly told: 'approved' | 'declined';
    readonly transactionId: string;
    readonly toldAt: Instant;
  };
};

export type FollowUpEvent =
  | FollowUpAccepted
  | FollowUpStarted
  | FollowUpUnknown
  | FollowUpApproved
  | FollowUpDeclined
  | FollowUpFailed
  | FollowUpSettled
  | LateFollowUpConflict
  | FollowUpReconciled;

interface AskedFollowUp {
  readonly number: number;
  readonly operation: FollowUpOperation;
  readonly amount: Money;
  readonly original: AttemptKey;
  readonly gate: GateAlias;
  readonly longestFlightMs: number;
  readonly callbacks: readonly CallbackTarget[];
  readonly acceptedAt: Instant;
}

interface StartedFollowUp extends AskedFollowUp {
  readonly key: AttemptKey;
  readonly startedAt: Instant;
}

interface FinalFollowUp extends StartedFollowUp {
  readonly conflicts: readonly LateFollowUpConflict['data']['told'][];
}

export type FollowUp =
  | (AskedFollowUp & { readonly status: 'accepted' })
  | (StartedFollowUp & { readonly status: 'started' })
  | (StartedFollowUp & { readonly status: 'unknown'; readonly cause: UnknownCause; readonly callEndedAt?: Instant })
  | (FinalFollowUp & { readonly status: 'approved' | 'declined' | 'failed' });

export type FollowUps = readonly FollowUp[];

export const isFinal = (followUp: FollowUp): followUp is Extract<FollowUp, FinalFollowUp> =>
  followUp.status === 'approved' || followUp.status === 'declined' || followUp.status === 'failed';

export const followUpClaimedAt = (followUp: FollowUp | undefined, key: AttemptKey): Instant | undefined =>
  (followUp?.status === 'started' || followUp?.status === 'unknown') && followUp.key === key ? followUp.startedAt : undefined;

/** Includes a decline that the gate revoked. */
export const mayHaveMoved = (followUp: FollowUp): boolean =>
  !isFinal(followUp) || followUp.status === 'approved' || followUp.conflicts.includes('approved');

/** A capture waits for the cancels accepted before it, because cancelled money must not count as captured. */
export const isWaiting = (followUp: FollowUp, followUps: FollowUps): boolean =>
  followUp.status === 'accepted' &&
  followUp.operation === 'capture' &&
  followUps.some((other) => other.operation === 'cancel' && other.number < followUp.number && !isFinal(other));

const evolveOne = (followUp: FollowUp, event: Exclude<FollowUpEvent, { type: 'FollowUpAccepted' }>): FollowUp => {
  const misplaced = (): never => {
    throw new Error(`${event.type} of a follow-up that is ${followUp.status}`);
  };
  if (event.type === 'FollowUpStarted') {
    if (followUp.status === 'started' || followUp.status === 'unknown') {
      if (followUp.key !== event.data.attemptKey) return misplaced();
      const { number, operation, amount, original, gate, longestFlightMs, callbacks, acceptedAt, key } = followUp;
      const asked = { number, operation, amount, original, gate, longestFlightMs, callbacks, acceptedAt };
      return { ...asked, status: 'started', key, startedAt: event.data.startedAt };
    }
    if (followUp.status !== 'accepted') return misplaced();
    return { ...followUp, status: 'started', key: event.data.attemptKey, startedAt: event.data.startedAt };
  }
  if (event.type === 'LateFollowUpConflict') {
    if (!isFinal(followUp)) return misplaced();
    return { ...followUp, conflicts: [...followUp.conflicts, event.data.told] };
  }
  if (event.type === 'FollowUpReconciled') {
    if (!isFinal(followUp)) return misplaced();
    return { ...followUp, status: event.data.to };
  }
  if (followUp.status !== 'started' && followUp.status !== 'unknown') return misplaced();
  const { number, operation, amount, original, gate, longestFlightMs, callbacks, acceptedAt, key, startedAt } = followUp;
  const started: StartedFollowUp = { number, operation, amount, original, gate, longestFlightMs, callbacks, acceptedAt, key, startedAt };
  switch (event.type) {
    case 'FollowUpUnknown':
      return {
        ...started,
        status: 'unknown',
        cause: event.data.cause,
        ...(event.data.isCallOver === true && { callEndedAt: event.data.answeredAt }),
      };
    case 'FollowUpApproved':
      return { ...started, status: 'approved', conflicts: [] };
    case 'FollowUpDeclined':
      return { ...started, status: 'declined', conflicts: [] };
    case 'FollowUpFailed':
      return { ...started, status: 'failed', conflicts: [] };
    case 'FollowUpSettled':
      return { ...started, status: event.data.as, conflicts: [] };
    default:
      return unreachable(event);
  }
};

/** @throws Error if the event cannot follow the previous ones */
export const evolveFollowUps = (followUps: FollowUps, event: FollowUpEvent): FollowUps => {
  if (event.type === 'FollowUpAccepted') {
    const { number, operation, amount, original, gate, longestFlightMs, callbacks, acceptedAt } = event.data;
    if (number !== followUps.length + 1) throw new Error(`follow-up ${number} after ${followUps.length} of them`);
    return [...followUps, { status: 'accepted', number, operation, amount, original, gate, longestFlightMs, callbacks, acceptedAt }];
  }
  const index = event.data.number - 1;
  const followUp = followUps[index];
  if (followUp === undefined) throw new Error(`${event.type} of follow-up ${event.data.number}, of which there are ${followUps.length}`);
  return followUps.with(index, evolveOne(followUp, event));
};
