import type { EndpointId, OrderId } from '@app/kernel';
import type { RefusalName } from '@app/gateway-protocol';

/** An order or follow-up was accepted. Its outcome comes by status or callback (interface, section 2.4). */
export interface Accepted {
  readonly kind: 'accepted';
  readonly clientOrderId: string;
  readonly orderId: OrderId;
  readonly endpointId?: EndpointId;
}

export interface Refused {
  readonly kind: 'refused';
  readonly name: RefusalName;
  readonly message?: string;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number;
}

/** The 403 page for a v4 request that fails authentication (interface, section 5.2). */
export interface AccessDenied {
  readonly kind: 'access-denied';
}
export const ACCESS_DENIED: AccessDenied = { kind: 'access-denied' };

export type Answer = { readonly kind: 'answer'; readonly pairs: readonly (readonly [string, string])[] } | Accepted | Refused;

/** A response with the serial-number of the first request under its Idempotency-Key. */
export interface KeyedAnswer {
  readonly answer: Answer;
  readonly serial: string;
}

export type Answered = Answer | KeyedAnswer;

/** One refusal per reason; a missing reason does not compile. */
export type Refusals<Reason extends string> = Readonly<Record<Reason, { readonly name: RefusalName; readonly message?: string }>>;

export const refused = (name: RefusalName, message?: string): Refused => ({
  kind: 'refused',
  name,
  ...(message !== undefined && { message }),
});
