/** Certain: no byte of the request was written, and none will be. */
export type NotSentCause =
  /** All connections are in use and as many calls wait as may. */
  | 'busy'
  /** The client was closed. */
  | 'closed'
  /** No connection: refused, reset, no route, or none within the time for it. */
  | 'unreachable'
  | 'name-not-resolved'
  /** The handshake failed, or the certificate is not the peer's. */
  | 'tls'
  /** The caller's signal. */
  | 'aborted'
  /** The call's time was over while it waited for a connection. */
  | 'timeout'
  /** The request cannot be written as HTTP. */
  | 'malformed-request';

/** The request may have arrived; its answer did not, or not as one. */
export type LostCause = 'timeout' | 'connection-lost' | 'malformed' | 'too-large';

interface Answered {
  readonly kind: 'answered';
  /** Any status of 200 or more, also that of a redirect, which is not followed. */
  readonly status: number;
  /** As it was sent, with its parameters. */
  readonly contentType: string | undefined;
  /** Read as UTF-8; a byte that is none becomes U+FFFD. */
  readonly body: string;
}

/** How a call ended. Money depends on `not-sent`: what is said to be not sent may be sent again elsewhere. */
export type GateReply =
  Answered | { readonly kind: 'not-sent'; readonly cause: NotSentCause } | { readonly kind: 'lost'; readonly cause: LostCause };
