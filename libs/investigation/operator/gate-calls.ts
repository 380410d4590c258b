import type { Instant } from '@app/kernel';
import {
  CALL_OUTCOMES,
  LATENCY_BOUNDS_MS,
  MINUTE_MS,
  ORDER_OUTCOMES,
  type CallOutcome,
  type CallsInMinute,
  type CountedMinutes,
  type OrderOutcome,
} from '@app/read-models';
import { auditInstant } from '../orders/audit-instant';

const MINUTES = 60;
const CODES_MAX = 20;

/** Upper bounds of the histogram's buckets: 50 to 60,000 ms; the last one includes longer calls. Null if no call was answered. */
interface CallLatency {
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** `pending`: accepted by the gate, or the payer must authenticate. A call first pending or unknown counts again under its later outcome. */
type CallCounts = Readonly<Record<CallOutcome, number>>;

interface CallMinute extends CallCounts, CallLatency {
  readonly at: string;
}

/** Payments, captures, returns and voids sent to a gate by all processes; inquiries are not counted. */
export interface GateCalls {
  readonly calls: CallCounts;
  readonly latency: CallLatency;
  /** The 20 most frequent codes. */
  readonly declines: readonly { readonly code: number; readonly count: number }[];
  /** The oldest first; those without calls are left out. */
  readonly minutes: readonly CallMinute[];
}

interface OrderMinute extends Readonly<Record<OrderOutcome, number>> {
  readonly at: string;
}

interface LatencyMinute extends CallLatency {
  readonly at: string;
  /** Answered ones. */
  readonly calls: number;
}

/** The current minute and the 59 before it. Minutes without anything to show are left out. */
export interface LastHour {
  /** Orders that ended, by final status; `error`: codes 121 and 122. */
  readonly orders: readonly OrderMinute[];
  readonly gates: readonly { readonly alias: string; readonly minutes: readonly LatencyMinute[] }[];
}

export const lastHourAt = (now: Instant): { readonly since: Instant; readonly until: Instant } => {
  const until = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
  return { since: (until - MINUTES * MINUTE_MS) as Instant, until: until as Instant };
};

const groupedBy = <Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> => {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
};

const total = (counted: readonly { readonly count: number }[]): number => counted.reduce((sum, { count }) => sum + count, 0);

const byOutcome = <Outcome extends string>(
  outcomes: readonly Outcome[],
  counted: readonly { readonly outcome: Outcome; readonly count: number }[],
): Readonly<Record<Outcome, number>> =>
  Object.fromEntries(outcomes.map((one) => [one, total(counted.filter(({ outcome }) => outcome === one))])) as Record<Outcome, number>;

const bucketsOf = (calls: readonly CallsInMinute[]): readonly number[] =>
  calls.reduce<readonly number[]>((sums, { latency }) => latency.map((count, index) => count + (sums[index] ?? 0)), []);

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const percentile = (buckets: readonly number[], percent: number): number | null => {
  const calls = sumOf(buckets);
  if (calls === 0) return null;
  const rank = Math.ceil((calls * percent) / 100);
  let seen = 0;
  const index = buckets.findIndex((count) => (seen += count) >= rank);
  return LATENCY_BOUNDS_MS[index] ?? Math.max(...LATENCY_BOUNDS_MS);
};

const latencyOf = (buckets: readonly number[]): CallLatency => ({ p50Ms: percentile(buckets, 50), p95Ms: percentile(buckets, 95) });

/** @param calls of one gate, in the order of time */
export const gateCalls = (calls: readonly CallsInMinute[]): GateCalls => {
  const codes = groupedBy(
    calls.filter(({ code }) => code !== undefined),
    ({ code }) => code,
  );
  const declines = [...codes].map(([code, counted]) => ({ code: code ?? 0, count: total(counted) }));
  const minutes = [...groupedBy(calls, ({ at }) => at)];
  return {
    calls: byOutcome(CALL_OUTCOMES, calls),
    latency: latencyOf(bucketsOf(calls)),
    declines: declines.sort((a, b) => b.count - a.count || a.code - b.code).slice(0, CODES_MAX),
    minutes: minutes.map(([at, of]) => ({ at: auditInstant(at), ...byOutcome(CALL_OUTCOMES, of), ...latencyOf(bucketsOf(of)) })),
  };
};

export const callsByGate = ({ calls }: CountedMinutes): ReadonlyMap<string, readonly CallsInMinute[]> =>
  groupedBy(calls, ({ gate }) => gate);

/** @param aliases of the gates to show */
export const lastHourOf = (counted: CountedMinutes, aliases: readonly string[]): LastHour => {
  const byGate = callsByGate(counted);
  const orders = [...groupedBy(counted.orders, ({ at }) => at)];
  const minutesOf = (calls: readonly CallsInMinute[]): readonly LatencyMinute[] =>
    [...groupedBy(calls, ({ at }) => at)].flatMap(([at, of]) => {
      const buckets = bucketsOf(of);
      const count = sumOf(buckets);
      return count === 0 ? [] : [{ at: auditInstant(at), calls: count, ...latencyOf(buckets) }];
    });
  return {
    orders: orders.map(([at, of]) => ({ at: auditInstant(at), ...byOutcome(ORDER_OUTCOMES, of) })),
    gates: aliases.map((alias) => ({ alias, minutes: minutesOf(byGate.get(alias) ?? []) })),
  };
};
