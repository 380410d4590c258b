import type { Instant } from '@app/kernel';

/** For programs: ISO 8601 with its Z. */
export const isoText = (at: Instant): string => new Date(at).toISOString();

/** For people: `2026-01-31 23:59:59.123Z`, from ISO 8601 in UTC. */
export const shownTime = (iso: string): string => iso.replace('T', ' ');

/** The same from an instant. */
export const instantText = (at: Instant): string => shownTime(isoText(at));
