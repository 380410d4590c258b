import type { MerchantCause } from '@app/gateway-protocol';

/** What whoever runs the server can mend, or should know of. */
export type ForbiddenReason = 'notification-not-signed' | 'order-not-approved';

/** What an operation of the desk comes to, before it is written. */
export type MerchantServerAnswer =
  | { readonly kind: 'answered'; readonly body: object }
  /** Nothing is said to who is not known: an empty body (protocol decisions, section 8). */
  | { readonly kind: 'forbidden'; /** For the log alone. */ readonly reason?: ForbiddenReason }
  | { readonly kind: 'failed'; readonly cause: MerchantCause; readonly message: string };

export const answered = (body: object): MerchantServerAnswer => ({ kind: 'answered', body });
export const FORBIDDEN: MerchantServerAnswer = { kind: 'forbidden' };
export const forbidden = (reason: ForbiddenReason): MerchantServerAnswer => ({ kind: 'forbidden', reason });
export const invalid = (message: string): MerchantServerAnswer => ({ kind: 'failed', cause: 'INVALID_REQUEST', message });
export const filtered = (message: string): MerchantServerAnswer => ({ kind: 'failed', cause: 'FILTERED', message });
