import type { Deadline, Instant, MerchantLogin } from '@app/kernel';
import type { CallerTrace } from '@app/event-store';
import type { DeviceOperation, PerformCause, StatusCause } from '@app/gateway-protocol';

/** What a path of the device interface names (interface, section 4.2); as sent, and not yet looked at. */
export interface DevicePath {
  readonly endpointId: string;
  readonly invoiceId: string;
  /** Of complete transfer alone. */
  readonly assignedId?: string;
}

export interface DeviceRequest<Message> {
  readonly path: DevicePath;
  readonly message: Message;
  /** The request's own serial-number: in the log, and the command of what it makes (architecture, rule 2). */
  readonly serial: string;
  /** Absent where the request brought none. */
  readonly callerTrace?: CallerTrace | undefined;
  /** When its caller is answered. */
  readonly deadline?: Deadline | undefined;
  readonly receivedAt: Instant;
}

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
  /** Told in whole seconds, for a request that was one too many. */
  readonly retryAfterMs?: number;
}

export type DeviceAnswer<Cause> = { readonly kind: 'answer'; readonly body: object } | Failed<Cause>;

/** Who a request is from, as its signature or its session proves; `go` is what it asks for. */
export interface Proven<Cause> {
  readonly kind: 'proven';
  readonly merchant: MerchantLogin;
  /** @throws StoreUnavailable, VaultUnavailable, OutcomeUnknown */
  go(): Promise<DeviceAnswer<Cause>>;
}

/** One of the seven operations that an app calls (interface, section 4.2). */
export interface DeviceEndpoint<Message extends object, Cause extends PerformCause | StatusCause> {
  /** In metrics and the log. */
  readonly name: `${'perform' | 'status' | 'complete'}-${DeviceOperation}`;
  readonly message: new () => Message;
  /** Signature or session first, for a stranger learns nothing of the rest (safety, T10 and T19). @throws StoreUnavailable, VaultUnavailable */
  prove(request: DeviceRequest<Message>): Promise<Proven<Cause> | Failed<Cause>>;
}

/** One endpoint, whatever its message. */
export type AnyDeviceEndpoint = DeviceEndpoint<object, PerformCause | StatusCause>;

export const failed = <Cause>(name: FailureName, cause: Cause, message: string): Failed<Cause> => ({
  kind: 'failed',
  name,
  cause,
  message,
});
