import type { Product } from '@app/configuration';
import type { MerchantCause } from '@app/gateway-protocol';

export interface MerchantServerRequest {
  readonly product: Product;
  readonly method: string;
  readonly invoiceId: string | undefined;
  readonly query: URLSearchParams;
  /** Value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
}

/** A reason that the server's operator can act on. */
type ForbiddenReason = 'notification-not-signed' | 'order-not-approved';

export type MerchantServerAnswer =
  | { readonly kind: 'answered'; readonly body: object }
  /** An unauthenticated sender gets an empty body (protocol decisions, section 8). */
  | { readonly kind: 'forbidden'; readonly reason?: ForbiddenReason }
  | { readonly kind: 'failed'; readonly cause: MerchantCause; readonly message: string };

export const answered = (body: object): MerchantServerAnswer => ({ kind: 'answered', body });
export const FORBIDDEN: MerchantServerAnswer = { kind: 'forbidden' };
export const forbidden = (reason: ForbiddenReason): MerchantServerAnswer => ({ kind: 'forbidden', reason });
export const invalid = (message: string): MerchantServerAnswer => ({ kind: 'failed', cause: 'INVALID_REQUEST', message });
export const filtered = (message: string): MerchantServerAnswer => ({ kind: 'failed', cause: 'FILTERED', message });
