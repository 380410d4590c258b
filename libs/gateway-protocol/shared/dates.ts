import type { Instant } from '@app/kernel';

/** `YYYY-MM-DD HH:mm:ss ZZZ`, in UTC: `transaction-date`, `paynet-processing-date` (protocol decisions, section 2). */
export const formatInstant = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
