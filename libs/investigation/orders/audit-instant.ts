import { isoInstant, type Instant } from '@app/kernel';

/** The one form of time in what the audit tells: ISO 8601 in UTC with milliseconds and Z. */
export const auditInstant = (at: Instant): string => isoInstant(at);

export const auditInstantOrNull = (at: Instant | null): string | null => (at === null ? null : isoInstant(at));
