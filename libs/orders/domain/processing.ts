import { addMs, isRejection, isSameMoney, resultCode, unreachable, type Instant, type Money, type NonEmpty } from '@app/kernel';
import type { AcceptedOrder, Plan } from './accepted-order';
import type { AttemptEvent } from './attempt.events';
import { attempts, type AttemptCommand, type AttemptRejection } from './attempts';
import { isAttemptOf, type Attempts } from './attempts.state';
import { amountOfRouteStep, firstRouteStep, isLastRouteStep, nextRouteStep, type RouteStep } from './cascade';
import { isEventOf } from './event-parts';
import type { FinalEvent, OutcomeReconciled } from './final.events';
import { flightEndsAt, longestFlightMsOf } from './inquiry-schedule';
import { type FollowUpEvent, evolveFollowUps, type FollowUps } from './follow-up.events';
import { decideFollowUp, isFollowUpCommand, type FollowUpCommand, type FollowUpRejection } from './follow-ups';
import { followedOrder, disputedOrder } from './followed-order';
import { type DisputeEvent, evolveDisputes, NO_DISPUTES, type Disputes } from './dispute.events';
import { recordReport, type RecordReport, type ReportRejection } from './dispute';
import type { DeviceStage } from './device.events';
import type { NextAttemptChosen } from './routing/routing-rules';
import { evolveReconciled, reconcileOutcome, type ReconcileOutcome } from './reconcile-outcome';
import type { OrderScreened } from './screening';

export interface Processing {
  readonly plan: Plan;
  readonly amount: Money;
  readonly acceptedAt: Instant;
  readonly attempts: Attempts;
  readonly routeStep: RouteStep;
  readonly due: (RouteStep & { readonly since: Instant }) | undefined;
  /** Becomes the outcome if a later attempt could not be asked. */
  readonly lastDecline: { readonly code: number; readonly amountNumber: number } | undefined;
  readonly end: FinalEvent | undefined;
  readonly followUps: FollowUps;
  readonly disputes: Disputes;
  readonly device?: DeviceStage;
}

export type ProcessingEvent =
  AttemptEvent | NextAttemptChosen | OrderScreened | FinalEvent | FollowUpEvent | DisputeEvent | OutcomeReconciled;

type StartAttempt = Extract<AttemptCommand, { readonly type: 'StartAttempt' }>;

/**
 * `receiptId` accompanies every answer, since an approval may end the order. `InterruptOrder`: the process that held the CVV is gone or missed its
 * deadline.
 */
export type ProcessingCommand =
  | (Exclude<AttemptCommand, StartAttempt> & { readonly receiptId: string })
  /** `screened` accompanies the first attempt of an order with screening rules; a failed screening starts nothing. */
  | (StartAttempt & { readonly receiptId: string; readonly screened?: OrderScreened['data'] })
  | FollowUpCommand
  | RecordReport
  | ReconcileOutcome
  | {
      readonly type: 'InterruptOrder';
      readonly receiptId: string;
      readonly data: { readonly now: Instant; readonly isHolderGone: boolean };
    };

export type ProcessingRejection =
  | AttemptRejection
  | FollowUpRejection
  | ReportRejection
  | { readonly reason: 'order-final' | 'submit-not-overdue' | 'not-its-turn' | 'not-screened' | 'flight-not-over' };

/** An order that lost its CVV is ended after this delay, counted from when its submit was due (architecture, rule 5). */
export const SUBMIT_OVERDUE_MS = 60_000;
/** Interrupted before the gate was asked, or the gate never received it (protocol decisions, section 4). */
export const INTERRUPTED = resultCode('interrupted-before-gate');
export const NO_GATE = resultCode('no-gate-available');
export const FILTERED = resultCode('filtered-by-screening');

export const processingOf = ({ plan, amount, acceptedAt }: Pick<AcceptedOrder, 'plan' | 'amount' | 'acceptedAt'>): Processing => {
  const routeStep = firstRouteStep({ plan, amount });
  return {
    plan,
    amount,
    acceptedAt,
    attempts: attempts.initial,
    routeStep,
    due: { since: acceptedAt, ...routeStep },
    lastDecline: undefined,
    end: undefined,
    followUps: [],
    disputes: NO_DISPUTES,
  };
};

const evolveAttempt = (state: Processing, event: AttemptEvent): Processing => {
  const next = { ...state, attempts: attempts.evolve(state.attempts, event) };
  if (event.type === 'AttemptDeclined')
    return { ...next, lastDecline: { code: event.data.code, amountNumber: state.routeStep.amountNumber } };
  // If none is due, the claim was renewed before anything left.
  if (event.type !== 'AttemptStarted' || (state.due === undefined && isAttemptOf(state.attempts, event.data.attemptKey))) return next;
  if (state.due === undefined) throw new Error('AttemptStarted where none was due');
  const { gate, amountNumber } = state.due;
  return { ...next, routeStep: { gate, amountNumber }, due: undefined };
};

export const evolveProcessing = (state: Processing, event: ProcessingEvent): Processing => {
  if (isEventOf(event, 'attempt')) return evolveAttempt(state, event);
  if (isEventOf(event, 'end')) {
    if (state.end !== undefined) throw new Error(`${event.type} after ${state.end.type}`);
    return { ...state, end: event, due: undefined };
  }
  // A gate may report a follow-up that moved nothing after its order was reconciled to a decline.
  const needsApproval = event.type !== 'LateFollowUpConflict' && event.type !== 'ReportSetAside';
  if (isEventOf(event, 'follow-up', 'report') && needsApproval && state.end?.type !== 'OrderApproved')
    throw new Error(`${event.type} before OrderApproved`);
  if (isEventOf(event, 'follow-up')) return { ...state, followUps: evolveFollowUps(state.followUps, event) };
  if (isEventOf(event, 'report')) return { ...state, disputes: evolveDisputes(state.disputes, event) };
  switch (event.type) {
    case 'OutcomeReconciled':
      return evolveReconciled(state, event);
    case 'OrderScreened':
      return state;
    case 'NextAttemptChosen': {
      const { gate, amountNumber, chosenAt } = event.data;
      return { ...state, due: { gate, amountNumber, since: chosenAt } };
    }
    default:
      return unreachable(event);
  }
};

const turnAfterNewest = ({ routeStep, attempts: newest, lastDecline, ...planned }: Processing): RouteStep | undefined =>
  nextRouteStep(planned, { routeStep, newest, declinedAmountNumber: lastDecline?.amountNumber });

export const nextAttemptOf = (state: Processing, now: Instant): NextAttemptChosen | undefined => {
  if (state.end !== undefined || state.due !== undefined) return undefined;
  const routeStep = turnAfterNewest(state);
  if (routeStep === undefined) return undefined;
  return { type: 'NextAttemptChosen', data: { ...routeStep, amount: amountOfRouteStep(state, routeStep), chosenAt: now } };
};

export const mayGoOn = (state: Processing): boolean =>
  state.end === undefined && state.attempts.status !== 'approved' && (state.due !== undefined || !isLastRouteStep(state, state.routeStep));

/**
 * The order's final event. Undefined while an attempt or a card mapping is left. A decline stays the outcome although a later gate could not be
 * asked.
 */
export const conclusionOf = (state: Processing, receiptId: string, now: Instant): FinalEvent | undefined => {
  const { attempts: newest, plan, lastDecline, end, device } = state;
  if (end !== undefined) return undefined;
  const { callbacks } = plan;
  switch (newest.status) {
    case 'approved':
      if (device !== undefined) return undefined;
      return { type: 'OrderApproved', data: { attemptKey: newest.key, amount: newest.amount, receiptId, callbacks, approvedAt: now } };
    case 'declined':
      if (turnAfterNewest(state) !== undefined) return undefined;
      return { type: 'OrderDeclined', data: { code: newest.code, callbacks, declinedAt: now } };
    case 'not-asked':
      if (turnAfterNewest(state) !== undefined) return undefined;
      if (newest.cause === 'never-heard-of') return { type: 'OrderFailed', data: { code: INTERRUPTED, callbacks, failedAt: now } };
      return lastDecline === undefined
        ? { type: 'OrderFailed', data: { code: NO_GATE, callbacks, failedAt: now } }
        : { type: 'OrderDeclined', data: { code: lastDecline.code, callbacks, declinedAt: now } };
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

/** Also accepted between two attempts, with the last decline as the outcome. */
const interrupt = (now: Instant, isHolderGone: boolean, state: Processing): NonEmpty<ProcessingEvent> | ProcessingRejection => {
  const { plan, due, lastDecline } = state;
  if (due === undefined) return { reason: 'nothing-new' };
  if (plan.cvvHolder === undefined) return { reason: 'submit-not-overdue' };
  if (!isHolderGone && now < addMs(due.since, SUBMIT_OVERDUE_MS)) return { reason: 'submit-not-overdue' };
  const { callbacks } = plan;
  return lastDecline === undefined
    ? [{ type: 'OrderFailed', data: { code: INTERRUPTED, callbacks, failedAt: now } }]
    : [{ type: 'OrderDeclined', data: { code: lastDecline.code, callbacks, declinedAt: now } }];
};

type Start = Extract<ProcessingCommand, { readonly type: 'StartAttempt' }>;

/** The first attempt is in one append with its screening result, so that no gate is asked before screening. */
const startNext = (command: Start, state: Processing): NonEmpty<ProcessingEvent> | ProcessingRejection => {
  const { due, plan } = state;
  const { screened, data } = command;
  const decision = attempts.decide(command, state.attempts);
  if (isRejection(decision)) return decision;
  if (due === undefined || due.gate !== data.gate || !isSameMoney(amountOfRouteStep(state, due), data.amount))
    return { reason: 'not-its-turn' };
  if (plan.screening === undefined || state.attempts.status !== 'none') return decision;
  if (screened?.rulesVersion !== plan.screening) return { reason: 'not-screened' };
  const fact: OrderScreened = { type: 'OrderScreened', data: screened };
  if (screened.brokenRule === undefined) return [fact, ...decision];
  return [fact, { type: 'OrderFiltered', data: { code: FILTERED, callbacks: plan.callbacks, filteredAt: data.now } }];
};

/** Until the flight is over the gate's answer may arrive at any moment, so an operator may not resolve the outcome. */
const isFlightOver = (state: Processing, now: Instant): boolean => {
  const { attempts: newest } = state;
  const isCallOver = newest.status === 'unknown' && newest.callEndedAt !== undefined;
  if (isCallOver || (newest.status !== 'started' && newest.status !== 'payer-returned' && newest.status !== 'unknown')) return true;
  return now >= flightEndsAt(newest, longestFlightMsOf(state, newest.gate));
};

export const decideProcessing = (command: ProcessingCommand, state: Processing): NonEmpty<ProcessingEvent> | ProcessingRejection => {
  if (command.type === 'RecordReport') return recordReport(command.data, disputedOrder(state), state.disputes);
  if (isFollowUpCommand(command)) return decideFollowUp(command, followedOrder(state), state.followUps);
  if (command.type === 'ReconcileOutcome') return reconcileOutcome(command, state);
  if (state.end !== undefined && command.type !== 'RecordAnswer') return { reason: 'order-final' };
  if (command.type === 'InterruptOrder') return interrupt(command.data.now, command.data.isHolderGone, state);
  if (command.type === 'StartAttempt') return startNext(command, state);
  const { now } = command.data;
  if (command.type === 'ResolveAttempt' && !isFlightOver(state, now)) return { reason: 'flight-not-over' };
  const decision = attempts.decide(command, state.attempts);
  if (isRejection(decision)) return decision;
  const after = decision.reduce(evolveProcessing, state);
  const follows = nextAttemptOf(after, now) ?? conclusionOf(after, command.receiptId, now);
  return follows === undefined ? decision : [...decision, follows];
};
