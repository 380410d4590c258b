import type { DeviceErrorCause } from '@app/gateway-protocol';

/** The party could not be reached, or closed before its answer was complete: whether it executed the request is unknown. */
export interface NoAnswer {
  readonly kind: 'no-answer';
  readonly reason: 'unreachable' | 'connection-lost' | 'timed-out';
  /** Error code of the system or of TLS, where there is one: ECONNREFUSED. */
  readonly code?: string;
}

/** The answer is none of this interface: a page of a proxy, a body that is cut or too large, a member that breaks its rule. */
export interface MalformedAnswer {
  readonly kind: 'malformed';
  readonly httpStatus: number;
  /** The fault, by the path of a member; it quotes nothing of the answer. */
  readonly fault: string;
}

/** HTTP 403 with an empty body: a merchant server's answer to a wrong token, device or invoice (protocol decisions, section 8). */
interface Forbidden {
  readonly kind: 'forbidden';
}

/** The error body of the interface, section 2.6, whatever the HTTP code was. */
interface Refused<Cause extends DeviceErrorCause = DeviceErrorCause> {
  readonly kind: 'refused';
  readonly cause: Cause;
  /** Unique per occurrence, and logged by the party that refused. */
  readonly code: string;
  readonly message: string;
}

/** Nothing was sent: the request breaks a constraint of the interface, section 2.6. */
export interface InvalidRequest {
  readonly kind: 'invalid-request';
  /** Path of the member. */
  readonly field: string;
  /** Names the member, never its value. */
  readonly message: string;
}

export type Failure<Cause extends DeviceErrorCause = DeviceErrorCause> =
  NoAnswer | MalformedAnswer | Forbidden | Refused<Cause> | InvalidRequest;

/** The outcome of one exchange. Failures of a network or a server are never thrown. */
export type Outcome<Value, Cause extends DeviceErrorCause = DeviceErrorCause> =
  { readonly kind: 'answered'; readonly value: Value } | Failure<Cause>;

/** True where the same request, repeated unchanged, may still be answered: it or its answer was lost, or the party had a passing failure. */
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
