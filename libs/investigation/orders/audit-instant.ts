import { isoInstant, type Instant } from '@app/kernel';

/** Time format of the audit: ISO 8601 in UTC with milliseconds and Z. */
export const auditInstant = (at: Instant): string => isoInstant(at);

export const auditInstantOrNull = (at: Instant | null): string | null => (at === null ? null : isoInstant(at));
