import type { DeviceErrorCause } from '@app/gateway-protocol';

/** The party could not be reached, or went away before its answer was whole: whether it did what it was asked is not known. */
export interface NoAnswer {
  readonly kind: 'no-answer';
  readonly reason: 'unreachable' | 'connection-lost' | 'timed-out';
  /** Of the system or of TLS, where there is one: ECONNREFUSED. */
  readonly code?: string;
}

/** Something came that is no answer of this interface: a page of a proxy, a body that is cut or too large, a member that breaks its rule. */
export interface MalformedAnswer {
  readonly kind: 'malformed';
  readonly httpStatus: number;
  /** What is wrong with it, by the path of a member; quotes nothing of it. */
  readonly fault: string;
}

/** HTTP 403 with an empty body: a merchant server's word for a wrong token, device or invoice (protocol decisions, section 8). */
export interface Forbidden {
  readonly kind: 'forbidden';
}

/** The error body of the interface, section 2.6, whatever the HTTP code was. */
export interface Refused<Cause extends DeviceErrorCause = DeviceErrorCause> {
  readonly kind: 'refused';
  readonly cause: Cause;
  /** Unique per occurrence; stands in the log of whoever refused. */
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

/** What became of one exchange. Nothing that a network or a server does is thrown. */
export type Outcome<Value, Cause extends DeviceErrorCause = DeviceErrorCause> =
  { readonly kind: 'answered'; readonly value: Value } | Failure<Cause>;

/** True where the same request, repeated unchanged, may still be answered: it was lost, or its answer was, or the party was in trouble for a while. */
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
