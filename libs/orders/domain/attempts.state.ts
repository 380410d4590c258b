import { present, resultCode, unreachable, type AttemptKey, type GateAlias, type Instant, type Money, type Sealed } from '@app/kernel';
import type { AttemptEvent, LateResultConflict, NotAskedCause, Receipt, UnknownCause } from './attempt.events';

/** Every earlier attempt had its outcome before the newest one began. */
export type Attempts =
  | { readonly status: 'none' }
  | (Attempt & { readonly status: 'started' })
  | (Attempt & {
      readonly status: 'unknown';
      readonly cause: UnknownCause;
      readonly unknownSince: Instant;
      readonly isPayerBack: boolean;
      /** The gate hosts the payer's authentication and did not report its end in time. */
      readonly isHosted?: boolean;
      readonly callEndedAt?: Instant;
    })
  | (Attempt & { readonly status: 'payer-needed'; readonly page: Sealed; readonly payerDueAt: Instant; readonly isHosted?: boolean })
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
  /** The flight of a `not-found` counts from here. */
  readonly sentAt: Instant;
  readonly conflicts: readonly LateResultConflict['data']['told'][];
  readonly gateOrderId?: string;
  readonly session?: Sealed;
  /** Oldest first; at most one per step of the routing plan. */
  readonly earlier: readonly EarlierAttempt[];
}

/** An attempt before the newest: definitely declined, although its gate may still revoke that. */
export interface EarlierAttempt extends Pick<Attempt, 'key' | 'gate' | 'amount' | 'conflicts'> {
  readonly status: 'declined' | 'not-asked';
}

/** An order that an operator resolves as declined (protocol decisions, section 4). */
export const RESOLVED_DECLINE = resultCode('do-not-honour');

/** After a revoked decline money moved, and another attempt would charge twice. */
export const isRevoked = ({ conflicts, earlier }: Pick<Attempt, 'conflicts' | 'earlier'>): boolean =>
  conflicts.includes('approved') || earlier.some((before) => before.conflicts.includes('approved'));

const earlierOf = (state: Attempts): readonly EarlierAttempt[] => {
  if (state.status === 'none') return [];
  const { status, key, gate, amount, conflicts, earlier } = state;
  return status === 'declined' || status === 'not-asked' ? [...earlier, { status, key, gate, amount, conflicts }] : earlier;
};

export const isAttemptOf = (state: Attempts, key: AttemptKey): boolean => state.status !== 'none' && state.key === key;

/** True if the second leg of 3-D Secure was claimed and the outcome is open. */
export const isPayerBack = (state: Attempts): boolean =>
  state.status === 'payer-returned' || (state.status === 'unknown' && state.isPayerBack);

/** True if only an inquiry returns the outcome, after an authentication that the gate hosts. */
export const isAtHostedChallenge = (state: Attempts): boolean =>
  (state.status === 'payer-needed' || state.status === 'unknown') && state.isHosted === true;

/** Undefined unless the outcome is open. An unknown outcome recorded by another process does not end the claim. */
export const claimedAt = (state: Attempts, key: AttemptKey, leg: 'first' | 'second'): Instant | undefined => {
  if (state.status === 'none' || state.key !== key) return undefined;
  const isClaimed =
    leg === 'second' ? isPayerBack(state) : state.status === 'started' || (state.status === 'unknown' && !state.isPayerBack);
  return isClaimed ? state.sentAt : undefined;
};

export const evolveAttempts = (state: Attempts, event: AttemptEvent): Attempts => {
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
  const known = present({ gateOrderId: state.gateOrderId, session: state.session });
  const attempt: Attempt = { key, number, gate, amount, startedAt, sentAt, conflicts, earlier, ...known };
  switch (event.type) {
    case 'AttemptApproved':
      return { status: 'approved', by: 'gate', receipt: event.data.receipt, approvalCode: event.data.approvalCode, ...attempt };
    case 'AttemptDeclined': {
      const { code, by, receipt, advice } = event.data;
      return { status: 'declined', by, code, ...attempt, ...(receipt && { receipt }), ...(advice !== undefined && { advice }) };
    }
    case 'AttemptTaken': {
      const { gateOrderId, session } = event.data;
      return { ...state, ...present({ gateOrderId, session }) };
    }
    case 'AttemptUnknown': {
      const { cause, answeredAt: unknownSince, isCallOver } = event.data;
      return {
        status: 'unknown',
        cause,
        unknownSince,
        isPayerBack: isPayerBack(state),
        ...attempt,
        ...(isAtHostedChallenge(state) && { isHosted: true }),
        ...(isCallOver === true && { callEndedAt: unknownSince }),
      };
    }
    case 'AttemptNotAsked':
      return { status: 'not-asked', cause: event.data.cause, ...attempt };
    case 'PayerChallenged':
      return {
        status: 'payer-needed',
        page: event.data.page,
        payerDueAt: event.data.payerDueAt,
        ...attempt,
        ...(event.data.isHosted === true && { isHosted: true }),
      };
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
