import type { AttemptKey, Instant, Money } from '@app/kernel';
import { plannedGate, type Plan, type PlannedGate } from './accepted-order';
import type { Attempts } from './attempts.state';
import { releasedMinor, takenBackMinor, type Disputes } from './dispute.state';
import type { FinalEvent } from './final.events';

/** An approved order that money can follow: charged, or authorised for a later capture. */
export interface ApprovedOrder {
  readonly kind: 'sale' | 'preauth';
  /** The amount approved. */
  readonly amount: Money;
  readonly attemptKey: AttemptKey;
  /** The gate that approved it, as the plan has it. */
  readonly gate: PlannedGate;
  /**
   * The gate's own time where it named one, because clearing follows that; otherwise the time of asking, which can only be earlier than the approval.
   */
  readonly approvedAt: Instant;
  readonly isNotified: boolean;
  /** What the gate reported by itself to have gone back of what was taken, in minor units, chargebacks that were not won back included. */
  readonly takenBackMinor: bigint;
  /** What it reported to have released of what was authorised, in minor units. */
  readonly releasedMinor: bigint;
}

/** An order as its follow-ups see it; the money of a transfer is with its receiver, and no gate takes it back. */
export type FollowedOrder = ApprovedOrder | { readonly kind: 'not-final' } | { readonly kind: 'nothing-moved' };

/** @throws Error where the approved attempt is not the order's newest, which no valid log contains */
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
