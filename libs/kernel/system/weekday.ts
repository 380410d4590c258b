import type { Instant } from './ports';

/** @throws RangeError for an invalid date */
export const isoInstant = (at: Instant): string => new Date(at).toISOString();

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = WEEKDAYS.indexOf('thu');

/**
 * The day in UTC.
 * @throws Error for a time before 1970
 */
export const weekdayOf = (at: Instant): Weekday => {
  const weekday = WEEKDAYS[(FIRST_WEEKDAY + Math.floor(at / DAY_MS)) % WEEKDAYS.length];
  if (weekday === undefined) throw new Error(`no day of the week at ${at}`);
  return weekday;
};
