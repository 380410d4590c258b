import type { Instant } from '@app/kernel';

/** `2026-01-31 23:59:59.123` in UTC, to the millisecond. */
export const instantText = (at: Instant): string => new Date(at).toISOString().replace('T', ' ').replace('Z', '');

/** For programs: ISO 8601 with its Z. */
export const isoText = (at: Instant): string => new Date(at).toISOString();
