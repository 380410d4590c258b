import type { EndpointId, OrderId } from '@app/kernel';
import type { RefusalName } from '@app/gateway-protocol';

/** An order or a follow-up was accepted; its outcome comes by status or callback (interface, section 2.4). */
export interface Accepted {
  readonly kind: 'accepted';
  readonly clientOrderId: string;
  readonly orderId: OrderId;
  /** Absent where the operation's answer has no end-point-id. */
  readonly endpointId?: EndpointId;
}

export interface Refused {
  readonly kind: 'refused';
  readonly name: RefusalName;
  readonly message?: string;
  /** Sent as `Retry-After`, in whole seconds. */
  readonly retryAfterMs?: number | undefined;
  /** Of HTTP; 200 where absent. */
  readonly status?: number;
}

/** The one 403 page for a v4 request that fails authentication (interface, section 5.2). */
export interface AccessDenied {
  readonly kind: 'access-denied';
}
export const ACCESS_DENIED: AccessDenied = { kind: 'access-denied' };

export type Answer = { readonly kind: 'answer'; readonly pairs: readonly (readonly [string, string])[] } | Accepted | Refused;

/** An answer with the serial-number of the first request under its Idempotency-Key. */
export interface KeyedAnswer {
  readonly answer: Answer;
  readonly serial: string;
}

/** The result of a controller's method. */
export type Answered = Answer | KeyedAnswer;

/** The refusal for each reason of a context. The table is complete: a reason without a row does not compile. */
export type Refusals<Reason extends string> = Readonly<Record<Reason, { readonly name: RefusalName; readonly message?: string }>>;

export const refused = (name: RefusalName, message?: string): Refused => ({
  kind: 'refused',
  name,
  ...(message !== undefined && { message }),
});
