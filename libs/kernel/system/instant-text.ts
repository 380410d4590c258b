import type { Instant } from './ports';

/** ISO 8601 in UTC with milliseconds. @throws RangeError for a moment that no calendar has */
export const isoInstant = (at: Instant): string => new Date(at).toISOString();
