import { unreachable, type Instant } from '@app/kernel';
import { isEventOf } from '@app/orders/events';
import type { Count, CounterShape } from '../engine/counter-table';
import type { OrderEvent } from '../order-status/order-status.fold';
import type { GateAttemptView, GateAttemptsView } from './gate-attempts.view';

/**
 * `failed`: the attempt certainly did nothing; `pending`: the gate accepted the call, or the payer must authenticate. A call that is first
 * pending or unknown is counted again under its later outcome.
 */
export const CALL_OUTCOMES = ['approved', 'declined', 'failed', 'unknown', 'pending'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export const ORDER_OUTCOMES = ['approved', 'declined', 'filtered', 'error'] as const;
export type OrderOutcome = (typeof ORDER_OUTCOMES)[number];

export const MINUTE_MS = 60_000;
/** Upper bounds; the last counter is of longer calls. */
export const LATENCY_BOUNDS_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 30_000, 60_000] as const;
export const LATENCY_COUNTERS: readonly string[] = [...LATENCY_BOUNDS_MS.map((bound) => `within_${bound}`), 'longer'];

/** Rows with the sums over all merchants. */
export const ALL_MERCHANTS = '';
/** Rows about orders instead of calls. */
export const NO_GATE = '';
const NO_CODE = 0;

const latencyOf = (sentAt: Instant | null | undefined, at: Instant): readonly string[] => {
  if (sentAt == null) return [];
  const index = LATENCY_BOUNDS_MS.findIndex((bound) => at - sentAt <= bound);
  return [LATENCY_COUNTERS.at(index) ?? 'longer'];
};

interface Outcome {
  readonly at: Instant;
  readonly outcome: CallOutcome | OrderOutcome;
  readonly code?: number;
}

const counted = (
  merchant: string,
  gate: string,
  { at, outcome, code = NO_CODE }: Outcome,
  latency: readonly string[],
): readonly Count[] => {
  const counters = ['calls', ...latency];
  const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  return [ALL_MERCHANTS, merchant].map((login) => ({ key: [login, minute, gate, outcome, code], counters }));
};

const orderOutcome = (event: OrderEvent): Outcome | undefined => {
  if (!isEventOf(event, 'end')) return undefined;
  switch (event.type) {
    case 'OrderApproved':
      return { at: event.data.approvedAt, outcome: 'approved' };
    case 'OrderDeclined':
      return { at: event.data.declinedAt, outcome: 'declined' };
    case 'OrderFiltered':
      return { at: event.data.filteredAt, outcome: 'filtered' };
    case 'OrderFailed':
      return { at: event.data.failedAt, outcome: 'error' };
    default:
      return unreachable(event);
  }
};

/** Of a gate's answers only, not of an operator's decision or an absent payer. */
const callOutcome = (event: OrderEvent): Outcome | undefined => {
  if (!isEventOf(event, 'attempt', 'follow-up')) return undefined;
  switch (event.type) {
    case 'AttemptApproved':
      return { at: event.data.answeredAt, outcome: 'approved' };
    case 'AttemptDeclined': {
      const { by, answeredAt: at, code } = event.data;
      return by === 'gate' ? { at, outcome: 'declined', code } : undefined;
    }
    case 'AttemptNotAsked':
      return { at: event.data.answeredAt, outcome: 'failed' };
    case 'AttemptUnknown':
    case 'FollowUpUnknown':
      return { at: event.data.answeredAt, outcome: 'unknown' };
    case 'AttemptTaken':
      return { at: event.data.takenAt, outcome: 'pending' };
    case 'PayerChallenged':
      return { at: event.data.answeredAt, outcome: 'pending' };
    case 'FollowUpApproved':
      return { at: event.data.approvedAt, outcome: 'approved' };
    case 'FollowUpDeclined':
      return { at: event.data.declinedAt, outcome: 'declined', code: event.data.code };
    case 'FollowUpFailed':
      return { at: event.data.failedAt, outcome: 'failed' };
    case 'AttemptStarted':
    case 'PayerReturned':
    case 'AttemptSettled':
    case 'LateResultConflict':
    case 'FollowUpAccepted':
    case 'FollowUpStarted':
    case 'FollowUpSettled':
    case 'FollowUpReconciled':
    case 'LateFollowUpConflict':
      return undefined;
    default:
      return unreachable(event);
  }
};

const askedOf = ({ asked }: GateAttemptsView, { data }: OrderEvent): GateAttemptView | undefined => {
  if ('number' in data) return asked.find(({ followUp }) => followUp === data.number);
  return asked.find(({ followUp, key }) => followUp === null && 'attemptKey' in data && key === data.attemptKey);
};

/** @param before the view without the event */
export const minuteCounts = (before: GateAttemptsView | undefined, event: OrderEvent): readonly Count[] => {
  if (before === undefined) return [];
  const end = orderOutcome(event);
  if (end !== undefined) return counted(before.merchant, NO_GATE, end, []);
  const call = callOutcome(event);
  const asked = call && askedOf(before, event);
  if (asked === undefined || call === undefined) return [];
  const { gate, sentAt } = asked;
  // Only the first answer to a call can be pending.
  if (call.outcome === 'pending' && sentAt === null) return [];
  return counted(before.merchant, gate, call, call.outcome === 'failed' ? [] : latencyOf(sentAt, call.at));
};

/** Calls by gate, and orders by outcome, in each minute. A call was never sent if it failed, so it has no latency. */
export const gateMinutes: CounterShape<GateAttemptsView> = {
  tableOf: (name) => `${name}_minutes`,
  key: { merchant: 'text', at: 'bigint', gate: 'text', outcome: 'text', code: 'bigint' },
  counters: ['calls', ...LATENCY_COUNTERS],
  countsOf: (before, { event }) => minuteCounts(before, event as OrderEvent),
};
