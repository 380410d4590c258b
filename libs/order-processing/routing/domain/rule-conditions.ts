import { weekdayOf, type Instant, type Money } from '@app/kernel';
import type { RoutingConditions } from './routing-rules';

/** The facts that rules go by. One that is not known makes no condition hold. */
export interface RouteFacts {
  /** The card number's first six digits. */
  readonly bin?: string;
  /** The issuer's, ISO 3166 alpha-3. */
  readonly country?: string;
  readonly brand?: string;
  readonly amount: Money;
  readonly at: Instant;
}

/** In the order in which they are reported. */
export const ROUTING_CONDITIONS = ['bin', 'country', 'brand', 'currency', 'amount', 'day', 'time'] as const;
export type RoutingCondition = (typeof ROUTING_CONDITIONS)[number];

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;
const BIN_DIGITS = 6;

const isInBinRange = (bin: string, range: string): boolean => {
  const [first = '', last = first] = range.split('-');
  return first <= bin && bin <= last;
};

/** Fewer digits are known of a number that is too short to show six: it lies in no range. */
const isOneOfBins = (bin: string | undefined, ranges: readonly string[]): boolean =>
  bin?.length === BIN_DIGITS && ranges.some((range) => isInBinRange(bin, range));

const minutesOf = (time: string): number => {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * MINUTES_PER_HOUR + (minutes ?? 0);
};

const isInTime = (at: Instant, from = '00:00', to = '24:00'): boolean => {
  const minute = Math.floor((at % DAY_MS) / MINUTE_MS);
  const [first, end] = [minutesOf(from), minutesOf(to)];
  return first < end ? first <= minute && minute < end : minute >= first || minute < end;
};

type Holds = (when: RoutingConditions, facts: RouteFacts) => boolean;

const includes = (known: string | undefined, wanted: readonly string[] | undefined): boolean =>
  wanted === undefined || (known !== undefined && wanted.includes(known));

const HOLDS: Readonly<Record<RoutingCondition, Holds>> = {
  bin: ({ bins }, { bin }) => bins === undefined || isOneOfBins(bin, bins),
  country: ({ countries }, { country }) => includes(country, countries),
  brand: ({ brands }, { brand }) => includes(brand, brands),
  currency: ({ currencies }, { amount }) => includes(amount.currency, currencies),
  amount: ({ amountFromMinor, amountToMinor }, { amount: { minor } }) =>
    (amountFromMinor === undefined || minor >= amountFromMinor) && (amountToMinor === undefined || minor <= amountToMinor),
  day: ({ days }, { at }) => includes(days === undefined ? undefined : weekdayOf(at), days),
  time: ({ from, to }, { at }) => isInTime(at, from, to),
};

/** The conditions that do not hold; none where the rule does. */
export const failedConditions = (when: RoutingConditions, facts: RouteFacts): readonly RoutingCondition[] =>
  ROUTING_CONDITIONS.filter((condition) => !HOLDS[condition](when, facts));
