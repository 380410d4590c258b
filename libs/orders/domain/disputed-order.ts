import type { AttemptKey, Currency, GateAlias } from '@app/kernel';
import type { Attempts } from './attempts.state';
import { mayHaveMoved, type FollowUps } from './follow-up.state';
import type { Plan } from './accepted-order';
import type { FinalEvent } from './final.events';

/** An approved order as a report of its gate sees it. */
export interface DisputableOrder {
  readonly kind: 'approved';
  /** The gate that approved it. */
  readonly gate: GateAlias;
  readonly attemptKey: AttemptKey;
  readonly currency: Currency;
  /** What was taken of the payer, in minor units; a capture whose outcome is open counts. */
  readonly takenMinor: bigint;
  /** What is authorised and was never captured, in minor units. */
  readonly heldMinor: bigint;
  /** What our own requests gave back of what was taken, or may have; what was not sent yet is held back by the claim instead. */
  readonly returnedMinor: bigint;
  /** The same of what is authorised. */
  readonly cancelledMinor: bigint;
  readonly isNotified: boolean;
}

/** `isAttemptDue`: no gate was asked, so that no gate can know of the order. */
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
