import type { OrderId } from '@app/kernel';
import type { PerformCause, StatusCause } from '@app/gateway-protocol';

/** Why a request failed, as metrics and the log name it; the wire has the cause alone. */
export type FailureName =
  | 'body-too-large'
  | 'no-room'
  | 'malformed-body'
  | 'malformed-member'
  | 'method-not-allowed'
  | 'not-authentic'
  | 'rate-limited'
  | 'nonce-reused'
  | 'invoice-reused'
  | 'currency-not-served'
  | 'amount-out-of-range'
  | 'security-code-required'
  | 'email-required'
  | 'not-configured'
  | 'unknown-order'
  | 'fee-not-offered'
  | 'fee-not-awaited'
  | 'filtered'
  | 'processing-failed'
  | 'temporarily-unavailable'
  | 'acceptance-unknown'
  | 'internal';

export interface Failed<Cause> {
  readonly kind: 'failed';
  readonly name: FailureName;
  readonly cause: Cause;
  /** A fixed text that may name a member, but never quotes a value of the request (safety, T50). */
  readonly message: string;
  /** Sent as `Retry-After`, in whole seconds. */
  readonly retryAfterMs?: number | undefined;
}

/** A controller returns the body of HTTP 200, or a failure that the exchange puts into the form of the interface. */
export type DeviceAnswer<Cause> =
  | {
      readonly kind: 'answer';
      readonly body: object;
      /** The order that was accepted, for the log only. */
      readonly orderId?: OrderId;
    }
  | Failed<Cause>;

/** The union of the causes of all operations. */
export type Cause = PerformCause | StatusCause;

export const failed = <Cause>(name: FailureName, cause: Cause, message: string): Failed<Cause> => ({
  kind: 'failed',
  name,
  cause,
  message,
});
