import type { MerchantCause } from '@app/gateway-protocol';

/** A reason that the server's operator can act on. */
export type ForbiddenReason = 'notification-not-signed' | 'order-not-approved';

/** The answer of an operation, before it is written. */
export type MerchantServerAnswer =
  | { readonly kind: 'answered'; readonly body: object }
  /** An unauthenticated sender gets an empty body (protocol decisions, section 8). */
  | { readonly kind: 'forbidden'; /** For the log alone. */ readonly reason?: ForbiddenReason }
  | { readonly kind: 'failed'; readonly cause: MerchantCause; readonly message: string };

export const answered = (body: object): MerchantServerAnswer => ({ kind: 'answered', body });
export const FORBIDDEN: MerchantServerAnswer = { kind: 'forbidden' };
export const forbidden = (reason: ForbiddenReason): MerchantServerAnswer => ({ kind: 'forbidden', reason });
export const invalid = (message: string): MerchantServerAnswer => ({ kind: 'failed', cause: 'INVALID_REQUEST', message });
export const filtered = (message: string): MerchantServerAnswer => ({ kind: 'failed', cause: 'FILTERED', message });
