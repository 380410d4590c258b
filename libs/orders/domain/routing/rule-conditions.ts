import { weekdayOf, type Instant, type Money, type NonEmpty } from '@app/kernel';
import type { RoutingConditions } from './routing-rules';

const BIN_DIGITS = 6;

interface Range {
  readonly first: number;
  readonly last: number;
}

const rangeOf = (text: string): Range => {
  const [first = '', last = first] = text.split('-');
  return { first: Number(first), last: Number(last) };
};

/** Sorted and disjoint. */
const merged = (ranges: readonly Range[]): readonly Range[] => {
  const apart: { first: number; last: number }[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = apart.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else apart.push({ first, last });
  }
  return apart;
};

/** Inclusive ranges of leading digits with binary search, because an entry point may have a hundred rules with a thousand ranges each. */
export class BinRanges {
  /** Ascending starts and exclusive ends: a number lies in a range if an odd count of them is at or below it. */
  readonly #edges: Int32Array;

  /** @param texts six digits each, or two of them and a dash */
  constructor(texts: readonly string[]) {
    this.#edges = Int32Array.from(merged(texts.map(rangeOf)).flatMap(({ first, last }) => [first, last + 1]));
  }

  /** @param bin with fewer than six digits it lies in no range */
  has(bin: string): boolean {
    if (bin.length !== BIN_DIGITS) return false;
    const digits = Number(bin);
    const edges = this.#edges;
    let [low, high] = [0, edges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((edges[middle] ?? Infinity) <= digits) low = middle + 1;
      else high = middle;
    }
    return low % 2 === 1;
  }
}

/** An unknown fact makes no condition hold. */
export interface RouteFacts {
  readonly bin?: string;
  readonly country?: string;
  readonly brand?: string;
  readonly amount: Money;
  readonly at: Instant;
}

export type RoutingCondition = 'bin' | 'country' | 'brand' | 'currency' | 'amount' | 'day' | 'time';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;

const minutesOf = (time: string): number => {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * MINUTES_PER_HOUR + (minutes ?? 0);
};

/** From `from` until before `to`; over midnight if `to` is not later. */
const inTime = (from: string, to: string): ((at: Instant) => boolean) => {
  const [first, end] = [minutesOf(from), minutesOf(to)];
  const isWithin = first < end ? (minute: number) => first <= minute && minute < end : (minute: number) => minute >= first || minute < end;
  return (at) => isWithin(Math.floor((at % DAY_MS) / MINUTE_MS));
};

interface Check {
  readonly condition: RoutingCondition;
  readonly holds: (facts: RouteFacts) => boolean;
}

const oneOf = (wanted: readonly string[]): ((known: string | undefined) => boolean) => {
  const names = new Set(wanted);
  return (known) => known !== undefined && names.has(known);
};

const checksOf = ({
  bins,
  countries,
  brands,
  currencies,
  amountFromMinor,
  amountToMinor,
  days,
  from,
  to,
}: RoutingConditions): readonly Check[] => {
  const checks: Check[] = [];
  const add = (condition: RoutingCondition, holds: Check['holds']): void => void checks.push({ condition, holds });
  if (bins !== undefined) {
    const ranges = new BinRanges(bins);
    add('bin', ({ bin }) => bin !== undefined && ranges.has(bin));
  }
  if (countries !== undefined) {
    const isOne = oneOf(countries);
    add('country', ({ country }) => isOne(country));
  }
  if (brands !== undefined) {
    const isOne = oneOf(brands);
    add('brand', ({ brand }) => isOne(brand));
  }
  if (currencies !== undefined) {
    const isOne = oneOf(currencies);
    add('currency', ({ amount }) => isOne(amount.currency));
  }
  if (amountFromMinor !== undefined || amountToMinor !== undefined) {
    add('amount', ({ amount: { minor } }) => {
      return (amountFromMinor === undefined || minor >= amountFromMinor) && (amountToMinor === undefined || minor <= amountToMinor);
    });
  }
  if (days !== undefined) {
    const isOne = oneOf(days);
    add('day', ({ at }) => isOne(weekdayOf(at)));
  }
  if (from !== undefined || to !== undefined) {
    const isIn = inTime(from ?? '00:00', to ?? '24:00');
    add('time', ({ at }) => isIn(at));
  }
  return checks;
};

/** Prepared once, because an entry point may have a hundred rules with a thousand ranges each. */
const ready = new WeakMap<RoutingConditions, readonly Check[]>();

const readyChecks = (when: RoutingConditions): readonly Check[] => {
  const known = ready.get(when);
  if (known !== undefined) return known;
  const checks = checksOf(when);
  ready.set(when, checks);
  return checks;
};

export const failedConditions = (when: RoutingConditions, facts: RouteFacts): NonEmpty<RoutingCondition> | undefined => {
  let failed: [RoutingCondition, ...RoutingCondition[]] | undefined;
  for (const { condition, holds } of readyChecks(when)) {
    if (holds(facts)) continue;
    if (failed === undefined) failed = [condition];
    else failed.push(condition);
  }
  return failed;
};
