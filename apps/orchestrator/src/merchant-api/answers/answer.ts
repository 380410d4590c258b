import type { EndpointId, OrderId } from '@app/kernel';
import type { RefusalName } from '@app/gateway-protocol';

/** An order, or a follow-up of one, was taken in; its outcome comes by status or callback (interface, section 2.4). */
export interface Accepted {
  readonly kind: 'accepted';
  readonly clientOrderId: string;
  readonly orderId: OrderId;
  /** Where the operation's answer says it. */
  readonly endpointId?: EndpointId;
}

export interface Refused {
  readonly kind: 'refused';
  readonly name: RefusalName;
  readonly message?: string;
  /** Told in whole seconds, for a request that was one too many. */
  readonly retryAfterMs?: number;
}

export type Answer = { readonly kind: 'answer'; readonly pairs: readonly (readonly [string, string])[] } | Accepted | Refused;

/** An answer that carries the serial-number of another request: the first under its Idempotency-Key. */
export interface KeyedAnswer {
  readonly answer: Answer;
  readonly serial: string;
}

/** What a controller returns. */
export type Answered = Answer | KeyedAnswer;

/** What is answered for each reason of a context. A complete table: a reason without a row does not compile. */
export type Refusals<Reason extends string> = Readonly<Record<Reason, { readonly name: RefusalName; readonly message?: string }>>;

export const refused = (name: RefusalName, message?: string): Refused => ({
  kind: 'refused',
  name,
  ...(message !== undefined && { message }),
});
