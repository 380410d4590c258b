import type { OrderId } from '@app/kernel';
import type { PerformCause, StatusCause } from '@app/gateway-protocol';

/** For metrics and the log. The response contains only the cause. */
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
  /** Never quotes a value of the request (safety, T50). */
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
}

/** The body of HTTP 200, or a failure that the exchange formats. */
export type DeviceAnswer<Cause> =
  | {
      readonly kind: 'answer';
      readonly body: object;
      readonly orderId?: OrderId;
    }
  | Failed<Cause>;

export type Cause = PerformCause | StatusCause;

export const failed = <Cause>(name: FailureName, cause: Cause, message: string): Failed<Cause> => ({
  kind: 'failed',
  name,
  cause,
  message,
});
