import type { Instant } from '@app/kernel';

/**
 * A point of an order's past: the event of this revision and all before it; what was on record at a time; or what was so at a time by the gates' own
 * clocks, also where it was recorded later.
 */
export type Moment =
  | { readonly kind: 'version'; readonly version: bigint }
  | { readonly kind: 'known-at'; readonly at: Instant }
  | { readonly kind: 'true-at'; readonly at: Instant };

const VERSION = /^(?:0|[1-9]\d{0,9})$/;
const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(?:Z|([+-])(\d{2}):(\d{2}))$/;

const HOURS_OF_ZONE_MAX = 14;
const MINUTES_PER_HOUR = 60;
const MINUTE_MS = 60_000;
const FRACTION_DIGITS = 3;

/** A revision, as `orch show` and the API count them: from 0. Undefined for a text that is none. */
export const parseVersion = (text: string): bigint | undefined => (VERSION.test(text) ? BigInt(text) : undefined);

/**
 * An ISO 8601 time to the minute, second or millisecond, with Z or an offset: without one it would mean another moment in every office. Undefined for
 * a text that is none, and for a day or an hour that does not exist.
 */
export const parseTime = (text: string): Instant | undefined => {
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign = '+', zoneHours = '0', zoneMinutes = '0'] =
    ISO.exec(text) ?? [];
  if (year === undefined || month === undefined) return undefined;
  const [hours, minutes] = [Number(zoneHours), Number(zoneMinutes)];
  if (hours > HOURS_OF_ZONE_MAX || minutes >= MINUTES_PER_HOUR) return undefined;
  const milliseconds = Number(fraction.padEnd(FRACTION_DIGITS, '0'));
  const parts = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const;
  const local = new Date(0);
  // Date.UTC takes the years below 100 for those of the twentieth century.
  local.setUTCFullYear(parts[0], parts[1], parts[2]);
  local.setUTCHours(parts[3], parts[4], parts[5], milliseconds);
  const written = [
    local.getUTCFullYear(),
    local.getUTCMonth(),
    local.getUTCDate(),
    local.getUTCHours(),
    local.getUTCMinutes(),
    local.getUTCSeconds(),
  ];
  if (written.some((part, index) => part !== parts[index])) return undefined;
  const offset = (hours * MINUTES_PER_HOUR + minutes) * MINUTE_MS;
  return (local.getTime() - (sign === '-' ? -offset : offset)) as Instant;
};

/** Whether the first of two moments is told to be the later one. A version and a time are told apart by the events alone. */
export const isLaterMoment = (one: Moment, other: Moment): boolean => {
  if (one.kind === 'version') return other.kind === 'version' && one.version > other.version;
  return one.kind === other.kind && one.at > other.at;
};
