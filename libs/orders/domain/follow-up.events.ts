import type { AttemptKey, GateAlias, Instant, Money, ResultCode, Sealed } from '@app/kernel';
import type { CallbackTarget } from './accepted-order';
import type { Receipt, UnknownCause } from './attempt.events';
import type { FollowUpReconciled } from './reconciliation.events';

/**
 * The operations that follow an approved order, at the gate that approved it (protocol decisions, section 10). A return of what was never captured is
 * a cancel.
 */
export const FOLLOW_UP_OPERATIONS = ['capture', 'reversal', 'cancel', 'void'] as const;
export type FollowUpOperation = (typeof FOLLOW_UP_OPERATIONS)[number];

/** From its acceptance a follow-up always becomes final, whoever waits for it. The request's serial is the event's correlation. */
export type FollowUpAccepted = {
  readonly type: 'FollowUpAccepted';
  readonly data: {
    /** Counts from 1 within the order. */
    readonly number: number;
    readonly operation: FollowUpOperation;
    readonly amount: Money;
    /** The approved attempt that it follows, which names the gate. */
    readonly original: AttemptKey;
    readonly gate: GateAlias;
    readonly longestFlightMs: number;
    readonly comment?: Sealed;
    readonly callbacks: readonly CallbackTarget[];
    readonly acceptedAt: Instant;
  };
};

/**
 * The intent, durable before the gate is called; by exact revision it is also the claim of the process that calls. A second one renews it before
 * anything has left.
 */
export type FollowUpStarted = {
  readonly type: 'FollowUpStarted';
  readonly data: { readonly number: number; readonly attemptKey: AttemptKey; readonly startedAt: Instant };
};

/** Money may have moved; only the gate or a person can say. */
export type FollowUpUnknown = {
  readonly type: 'FollowUpUnknown';
  readonly data: {
    readonly number: number;
    readonly cause: UnknownCause;
    readonly answeredAt: Instant;
    /** The meaning is that of an attempt's. */
    readonly isCallOver?: boolean;
  };
};

/** Final, as the next two. The event's id is the delivery id of the callbacks about it. */
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

/** Certain that nothing moved: 121 where the gate never received it, 122 where the gate could not be asked. */
export type FollowUpFailed = {
  readonly type: 'FollowUpFailed';
  readonly data: {
    readonly number: number;
    readonly code: ResultCode<'interrupted-before-gate' | 'no-gate-available'>;
    readonly callbacks: readonly CallbackTarget[];
    readonly failedAt: Instant;
  };
};

/** Final too: a person's decision where the gate never answered. The person is in the metadata, the grounds are sealed. */
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

/** The gate contradicted the outcome of a final follow-up: recorded and alarmed, as `LateResultConflict` for an attempt. */
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
