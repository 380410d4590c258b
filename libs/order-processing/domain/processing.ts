import { addMs, isRejection, unreachable, type Instant, type Money, type NonEmpty } from '@app/kernel';
import type { AcceptedOrder, Plan } from './accepted-order';
import type { AttemptEvent } from './attempt.events';
import { attempts, type AttemptCommand, type AttemptRejection, type Attempts } from './attempts';
import type { FinalEvent } from './final.events';
import type { FollowUpEvent } from './follow-up.events';
import { evolveFollowUps, type FollowUps } from './follow-up.state';
import { decideFollowUp, isFollowUpCommand, type FollowUpCommand, type FollowUpRejection } from './follow-ups';
import { followedOrder } from './followed-order';

/** How far an accepted order has come at its gates. */
export interface Processing {
  readonly plan: Plan;
  readonly amount: Money;
  readonly acceptedAt: Instant;
  readonly attempts: Attempts;
  readonly end: FinalEvent | undefined;
  /** What came after the end; it changes nothing above. */
  readonly followUps: FollowUps;
}

export type ProcessingEvent = AttemptEvent | FinalEvent | FollowUpEvent;

/**
 * The commands of the reactors. `receiptId` comes with every answer, since an approval may end the order.
 * `InterruptOrder`: the process that held the CVV is gone, or let its time pass.
 */
export type ProcessingCommand =
  | (AttemptCommand & { readonly receiptId: string })
  | FollowUpCommand
  | {
      readonly type: 'InterruptOrder';
      readonly receiptId: string;
      readonly data: { readonly now: Instant; readonly isHolderGone: boolean };
    };

export type ProcessingRejection = AttemptRejection | FollowUpRejection | { readonly reason: 'order-final' | 'submit-not-overdue' };

/** How long after its submit was due an order whose CVV went with its process is ended (architecture, rule 5). */
export const SUBMIT_OVERDUE_MS = 60_000;
/** Interrupted before the gate was asked, or the gate never heard of it (protocol decisions, section 4). */
export const INTERRUPTED = 121;
/** No gate could be asked. */
export const NO_GATE = 122;

export const processingOf = ({ plan, amount, acceptedAt }: Pick<AcceptedOrder, 'plan' | 'amount' | 'acceptedAt'>): Processing => ({
  plan,
  amount,
  acceptedAt,
  attempts: attempts.initial,
  end: undefined,
  followUps: [],
});

export const evolveProcessing = (state: Processing, event: ProcessingEvent): Processing => {
  switch (event.type) {
    case 'OrderApproved':
    case 'OrderDeclined':
    case 'OrderFiltered':
    case 'OrderFailed':
      if (state.end !== undefined) throw new Error(`${event.type} after ${state.end.type}`);
      return { ...state, end: event };
    case 'AttemptStarted':
    case 'AttemptApproved':
    case 'AttemptDeclined':
    case 'AttemptUnknown':
    case 'AttemptNotAsked':
    case 'PayerChallenged':
    case 'PayerReturned':
    case 'LateResultConflict':
      return { ...state, attempts: attempts.evolve(state.attempts, event) };
    case 'FollowUpAccepted':
    case 'FollowUpStarted':
    case 'FollowUpUnknown':
    case 'FollowUpApproved':
    case 'FollowUpDeclined':
    case 'FollowUpFailed':
    case 'FollowUpSettled':
    case 'LateFollowUpConflict':
      if (state.end?.type !== 'OrderApproved') throw new Error(`${event.type} before OrderApproved`);
      return { ...state, followUps: evolveFollowUps(state.followUps, event) };
    default:
      return unreachable(event);
  }
};

/** The end that the attempts have come to, where nothing else stands between (a context with a notification asks later). */
export const conclusionOf = ({ attempts: newest, plan, end }: Processing, receiptId: string, now: Instant): FinalEvent | undefined => {
  if (end !== undefined) return undefined;
  const { callbacks } = plan;
  switch (newest.status) {
    case 'approved':
      return { type: 'OrderApproved', data: { attemptKey: newest.key, amount: newest.amount, receiptId, callbacks, approvedAt: now } };
    case 'declined':
      return { type: 'OrderDeclined', data: { code: newest.code, callbacks, declinedAt: now } };
    case 'not-asked':
      return { type: 'OrderFailed', data: { code: newest.cause === 'never-heard-of' ? INTERRUPTED : NO_GATE, callbacks, failedAt: now } };
    case 'none':
    case 'started':
    case 'unknown':
    case 'payer-needed':
    case 'payer-returned':
      return undefined;
    default:
      return unreachable(newest);
  }
};

const interrupt = (now: Instant, isHolderGone: boolean, state: Processing): NonEmpty<ProcessingEvent> | ProcessingRejection => {
  if (state.attempts.status !== 'none') return { reason: 'nothing-new' };
  if (state.plan.cvvHolder === undefined) return { reason: 'submit-not-overdue' };
  if (!isHolderGone && now < addMs(state.acceptedAt, SUBMIT_OVERDUE_MS)) return { reason: 'submit-not-overdue' };
  return [{ type: 'OrderFailed', data: { code: INTERRUPTED, callbacks: state.plan.callbacks, failedAt: now } }];
};

/** Attempts, and the end in the same append: for orders between whose last answer and whose end nothing stands. */
export const decideProcessing = (command: ProcessingCommand, state: Processing): NonEmpty<ProcessingEvent> | ProcessingRejection => {
  if (isFollowUpCommand(command)) return decideFollowUp(command, followedOrder(state), state.followUps);
  if (state.end !== undefined && command.type !== 'RecordAnswer') return { reason: 'order-final' };
  if (command.type === 'InterruptOrder') return interrupt(command.data.now, command.data.isHolderGone, state);
  const decision = attempts.decide(command, state.attempts);
  if (isRejection(decision)) return decision;
  const end = conclusionOf(decision.reduce(evolveProcessing, state), command.receiptId, command.data.now);
  return end === undefined ? decision : [...decision, end];
};
