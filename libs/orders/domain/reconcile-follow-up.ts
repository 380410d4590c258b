import type { GateAlias, Instant, NonEmpty, Sealed } from '@app/kernel';
import type { FollowedOrder } from './followed-order';
import { isFinal, mayHaveMoved, type FollowUp, type FollowUps } from './follow-up.state';
import { isStillCovered } from './request-follow-up';
import type { ReconciliationRejection } from './reconcile-outcome';
import type { FollowUpReconciled, ReconciledOutcome } from './reconciliation.events';

/** As `ReconcileOutcome`, for a capture, return or void. */
export interface ReconcileFollowUp {
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

/** What went back of a captured sum stands on the capture, which it cannot lose: a return, and what the gate reported by itself. */
const standsOn = (followUp: FollowUp, order: FollowedOrder, followUps: FollowUps): boolean => {
  if (followUp.operation !== 'capture') return false;
  const isTakenBack = 'takenBackMinor' in order && order.takenBackMinor > 0n;
  return isTakenBack || followUps.some((other) => other.operation === 'reversal' && mayHaveMoved(other));
};

/** Approved only where the order's money covers it beside all others (safety, I12); undone only where nothing stands on it. */
export const reconcileFollowUp = (
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
  if (to === 'approved' && !isStillCovered(followUp, order, others, now)) return { reason: 'not-covered' };
  return [{ type: 'FollowUpReconciled', data: { number, from, to, caseId, gate, reason, callbacks, reconciledAt: now } }];
};
