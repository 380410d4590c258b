import type { DeviceErrorCause } from '@app/gateway-protocol';

/** No connection or no complete answer: it is unknown if the request was executed. */
export interface NoAnswer {
  readonly kind: 'no-answer';
  readonly reason: 'unreachable' | 'connection-lost' | 'timed-out';
  /** Error code of the system or of TLS, such as ECONNREFUSED. */
  readonly code?: string;
}

/** Not an answer of this interface: a proxy's page, a truncated or oversized body, an invalid member. */
export interface MalformedAnswer {
  readonly kind: 'malformed';
  readonly httpStatus: number;
  /** The fault and the member's path, without quoting the answer. */
  readonly fault: string;
}

/** HTTP 403 with an empty body: a merchant server's answer to a wrong token, device or invoice (protocol decisions, section 8). */
interface Forbidden {
  readonly kind: 'forbidden';
}

/** The error body of the interface, section 2.6, under any HTTP code. */
interface Refused<Cause extends DeviceErrorCause = DeviceErrorCause> {
  readonly kind: 'refused';
  readonly cause: Cause;
  /** Unique per occurrence and logged by the refusing party. */
  readonly code: string;
  readonly message: string;
}

/** Nothing was sent: the request breaks a constraint of the interface, section 2.6. */
export interface InvalidRequest {
  readonly kind: 'invalid-request';
  readonly field: string;
  /** Contains the member's name, never its value. */
  readonly message: string;
}

export type Failure<Cause extends DeviceErrorCause = DeviceErrorCause> =
  NoAnswer | MalformedAnswer | Forbidden | Refused<Cause> | InvalidRequest;

/** The outcome of one exchange. Failures of a network or server are never thrown. */
export type Outcome<Value, Cause extends DeviceErrorCause = DeviceErrorCause> =
  { readonly kind: 'answered'; readonly value: Value } | Failure<Cause>;

/** True if the same request may succeed when repeated unchanged: the request or its answer was lost, or the failure is passing. */
export const isPassing = (failure: Failure): boolean => {
  switch (failure.kind) {
    case 'no-answer':
    case 'malformed':
      return true;
    case 'refused':
      return failure.cause === 'INTERNAL_ERROR' || failure.cause === 'SERVER_UNAVAILABLE';
    case 'forbidden':
    case 'invalid-request':
      return false;
  }
};
