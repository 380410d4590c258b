import type { PerformCause, StatusCause } from '@app/gateway-protocol';

/** Why a request came to nothing, for metrics and the log: words of ours. */
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
  /** Fixed text, or what names a member: never a value that was sent (safety, T50). */
  readonly message: string;
  /** Sent in whole seconds, for a request that was one too many. */
  readonly retryAfterMs?: number;
}

/** What a controller returns: the body of HTTP 200, or a failure that the exchange puts into the form of the interface. */
export type DeviceAnswer<Cause> = { readonly kind: 'answer'; readonly body: object } | Failed<Cause>;

/** A cause of any operation. */
export type Cause = PerformCause | StatusCause;

export const failed = <Cause>(name: FailureName, cause: Cause, message: string): Failed<Cause> => ({
  kind: 'failed',
  name,
  cause,
  message,
});
