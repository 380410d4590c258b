import type { AttemptKey, Instant, Money, Currency, GateAlias } from '@app/kernel';
import { plannedGate, type Plan, type PlannedGate } from './accepted-order';
import type { Attempts } from './attempts.state';
import { releasedMinor, takenBackMinor, type Disputes } from './dispute.events';
import type { FinalEvent } from './final.events';
import { mayHaveMoved, type FollowUps } from './follow-up.events';

/** An order that was charged, or authorised for a later capture. */
export interface ApprovedOrder {
  readonly kind: 'sale' | 'preauth';
  readonly amount: Money;
  readonly attemptKey: AttemptKey;
  readonly gate: PlannedGate;
  /** The gate's time if it gave one, because clearing follows it; otherwise the time of the request. */
  readonly approvedAt: Instant;
  readonly isNotified: boolean;
  /** As the gate reported, in minor units, including chargebacks that were not won back. */
  readonly takenBackMinor: bigint;
  readonly releasedMinor: bigint;
}

/** A transfer's money is with its receiver, and no gate takes it back. */
export type FollowedOrder = ApprovedOrder | { readonly kind: 'not-final' } | { readonly kind: 'nothing-moved' };

/** @throws Error if the approved attempt is not the order's newest, which no valid log contains */
export const followedOrder = (order: {
  readonly plan: Plan;
  readonly attempts: Attempts;
  readonly end: FinalEvent | undefined;
  readonly disputes: Disputes;
}): FollowedOrder => {
  const { plan, attempts, end, disputes } = order;
  if (end === undefined) return { kind: 'not-final' };
  if (end.type !== 'OrderApproved' || plan.operation === 'account-verification' || plan.operation === 'transfer')
    return { kind: 'nothing-moved' };
  const { attemptKey, amount } = end.data;
  if (attempts.status === 'none' || attempts.key !== attemptKey) throw new Error('an order approved by another attempt than its newest');
  const receipt = attempts.status === 'approved' && attempts.by === 'gate' ? attempts.receipt : undefined;
  return {
    kind: plan.operation,
    amount,
    attemptKey,
    gate: plannedGate(order, attempts.gate),
    approvedAt: receipt?.processedAt ?? attempts.startedAt,
    isNotified: plan.callbacks.includes('notify'),
    takenBackMinor: takenBackMinor(disputes),
    releasedMinor: releasedMinor(disputes),
  };
};

export interface DisputableOrder {
  readonly kind: 'approved';
  readonly gate: GateAlias;
  readonly attemptKey: AttemptKey;
  readonly currency: Currency;
  /** In minor units; a capture whose outcome is open counts. */
  readonly takenMinor: bigint;
  readonly heldMinor: bigint;
  /** Returned or perhaps returned by our requests. Unsent requests are excluded; their claim checks the remaining amount. */
  readonly returnedMinor: bigint;
  readonly cancelledMinor: bigint;
  readonly isNotified: boolean;
}

/** `isAttemptDue`: no gate was asked, so no gate can know the order. */
export type DisputedOrder =
  DisputableOrder | { readonly kind: 'not-final'; readonly isAttemptDue: boolean } | { readonly kind: 'not-approved' };

interface Order {
  readonly plan: Plan;
  readonly attempts: Attempts;
  readonly due: unknown;
  readonly end: FinalEvent | undefined;
  readonly followUps: FollowUps;
}

const movedBy = (followUps: FollowUps, ...operations: readonly string[]): bigint =>
  followUps
    .filter((followUp) => operations.includes(followUp.operation) && followUp.status !== 'accepted' && mayHaveMoved(followUp))
    .reduce((sum, { amount }) => sum + amount.minor, 0n);

const takenOf = ({ plan, followUps }: Order, approvedMinor: bigint): Pick<DisputableOrder, 'takenMinor' | 'heldMinor'> => {
  switch (plan.operation) {
    case 'account-verification':
      return { takenMinor: 0n, heldMinor: 0n };
    case 'preauth': {
      const capturedMinor = movedBy(followUps, 'capture');
      return { takenMinor: capturedMinor, heldMinor: capturedMinor > 0n ? 0n : approvedMinor };
    }
    case 'sale':
    case 'transfer':
      return { takenMinor: approvedMinor, heldMinor: 0n };
  }
};

export const disputedOrder = (order: Order): DisputedOrder => {
  const { plan, attempts, due, end, followUps } = order;
  if (end === undefined) return { kind: 'not-final', isAttemptDue: due !== undefined };
  if (end.type !== 'OrderApproved' || attempts.status === 'none') return { kind: 'not-approved' };
  const { amount } = end.data;
  return {
    kind: 'approved',
    gate: attempts.gate,
    attemptKey: end.data.attemptKey,
    currency: amount.currency,
    ...takenOf(order, amount.minor),
    returnedMinor: movedBy(followUps, 'reversal', 'void'),
    cancelledMinor: movedBy(followUps, 'cancel'),
    isNotified: plan.callbacks.includes('notify'),
  };
};
