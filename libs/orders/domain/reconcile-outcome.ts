import { unreachable, type AttemptKey, type GateAlias, type Instant, type NonEmpty, type Sealed } from '@app/kernel';
import { RESOLVED_DECLINE, type Attempts } from './attempts.state';
import type { FinalEvent, OutcomeReconciled, ReconciledOutcome } from './final.events';
import type { DeviceStage } from './device.events';
import type { Disputes } from './dispute.events';
import { mayHaveMoved, type FollowUps } from './follow-up.events';
import type { Plan } from './accepted-order';

export interface ReconcileOutcome {
  readonly type: 'ReconcileOutcome';
  readonly receiptId: string;
  readonly data: {
    readonly key: AttemptKey;
    readonly gate: GateAlias;
    readonly to: ReconciledOutcome;
    readonly caseId: string;
    readonly reason: Sealed;
    readonly now: Instant;
  };
}

/**
 * `order-not-final`: resolve the open outcome instead. `another-attempt`: an operator decides about a refund. `follow-ups-moved`: a follow-up or a
 * gate's report moved money that would be undone.
 */
export type ReconciliationRejection = {
  readonly reason: 'nothing-new' | 'order-not-final' | 'another-attempt' | 'cards-not-mapped' | 'follow-ups-moved' | 'not-covered';
};

interface Order {
  readonly plan: Plan;
  readonly attempts: Attempts;
  readonly end: FinalEvent | undefined;
  readonly followUps: FollowUps;
  readonly disputes: Disputes;
  readonly device?: DeviceStage;
}

type Ended = Extract<OutcomeReconciled['data']['from'], string>;

const endedAs = (end: FinalEvent): Ended | 'filtered' => {
  switch (end.type) {
    case 'OrderApproved':
      return 'approved';
    case 'OrderDeclined':
      return 'declined';
    case 'OrderFailed':
      return 'error';
    case 'OrderFiltered':
      return 'filtered';
    default:
      return unreachable(end);
  }
};

/** Keeps one approved charge per order (safety, I1), and no follow-up beyond the taken amount (safety, I12). */
export const reconcileOutcome = (
  { receiptId, data }: ReconcileOutcome,
  { attempts, end, followUps, disputes, plan, device }: Order,
): NonEmpty<OutcomeReconciled> | ReconciliationRejection => {
  const { key, gate, to, caseId, reason, now } = data;
  if (end === undefined) return { reason: 'order-not-final' };
  const from = endedAs(end);
  if (attempts.status === 'none' || from === 'filtered' || attempts.key !== key || attempts.gate !== gate)
    return { reason: 'another-attempt' };
  if (from === to || (from === 'error' && to === 'declined')) return { reason: 'nothing-new' };
  // A gate that revoked its decline of an earlier attempt has charged already.
  if (to === 'approved' && attempts.earlier.some(({ conflicts }) => conflicts.includes('approved'))) return { reason: 'another-attempt' };
  if (to === 'approved' && device !== undefined) return { reason: 'cards-not-mapped' };
  const isReported = disputes.reversals.length > 0 || disputes.cases.length > 0;
  if (to === 'declined' && (isReported || followUps.some(mayHaveMoved))) return { reason: 'follow-ups-moved' };
  const grounds = { caseId, gate, reason, callbacks: plan.callbacks, reconciledAt: now };
  const changed = { attemptKey: key, amount: attempts.amount, from, to, ...(to === 'approved' && { receiptId }) };
  return [{ type: 'OutcomeReconciled', data: { ...grounds, ...changed } }];
};

/** The receipt belongs to the previous outcome, so it is dropped. */
const settledAttempt = (state: Exclude<Attempts, { status: 'none' }>, to: ReconciledOutcome): Attempts => {
  const { key, number, gate, amount, startedAt, sentAt, conflicts, earlier } = state;
  const attempt = { key, number, gate, amount, startedAt, sentAt, conflicts, earlier };
  return to === 'approved'
    ? { status: 'approved', by: 'person', ...attempt }
    : { status: 'declined', by: 'person', code: RESOLVED_DECLINE, ...attempt };
};

/** Shaped like a normal end, so that readers need no special case. */
const endOf = ({ attemptKey, amount, to, receiptId = '', callbacks, reconciledAt }: OutcomeReconciled['data']): FinalEvent =>
  to === 'approved'
    ? { type: 'OrderApproved', data: { attemptKey, amount, receiptId, callbacks, approvedAt: reconciledAt } }
    : { type: 'OrderDeclined', data: { code: RESOLVED_DECLINE, callbacks, declinedAt: reconciledAt } };

/** @throws Error if the order has no end, or the attempt is not the newest */
export const evolveReconciled = <State extends Pick<Order, 'attempts' | 'end'>>(state: State, { data }: OutcomeReconciled): State => {
  if (state.end === undefined) throw new Error('OutcomeReconciled before the end');
  if (state.attempts.status === 'none' || state.attempts.key !== data.attemptKey)
    throw new Error('OutcomeReconciled of another attempt than the newest');
  return { ...state, attempts: settledAttempt(state.attempts, data.to), end: endOf(data) };
};
