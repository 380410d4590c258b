import { errors } from 'undici';
import { NameNotResolved } from './name-resolution';
import { TargetRefused } from './checked-connector';
import type { TargetRefusal } from './url-check';

/** The end of a call. The caller decides whether it counts as delivered, and whether to try again. */
export type EgressOutcome =
  /** Any status, also that of a redirect, which is not followed. The body is absent where it was sent encoded, since no encoding was accepted, and if the caller needed only the status. */
  | { readonly kind: 'answered'; readonly status: number; readonly body?: string }
  /** Nothing was sent, nor will be while the address has this target. */
  | { readonly kind: 'refused-target'; readonly reason: TargetRefusal }
  /** The whole of the call did not end within its time. */
  | { readonly kind: 'timed-out' }
  /** No connection, or it was lost; `code` is that of Node, OpenSSL or undici, for logs. */
  | { readonly kind: 'connection-failed'; readonly code: string }
  /** Headers or body over the limit. */
  | { readonly kind: 'answer-too-large' }
  | { readonly kind: 'answer-malformed' }
  /** Nothing was sent: too much is under way, the port is closed, or the request cannot be written as HTTP. */
  | { readonly kind: 'not-sent'; readonly cause: 'overloaded' | 'closed' | 'malformed-request' };

const CODE = /^[A-Z0-9_]{1,64}$/;

const BY_CODE: ReadonlyMap<string, EgressOutcome> = new Map<string, EgressOutcome>([
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', { kind: 'answer-too-large' }],
  ['UND_ERR_HEADERS_OVERFLOW', { kind: 'answer-too-large' }],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', { kind: 'answer-malformed' }],
  ['UND_ERR_CLOSED', { kind: 'not-sent', cause: 'closed' }],
  ['UND_ERR_DESTROYED', { kind: 'not-sent', cause: 'closed' }],
  ['UND_ERR_INVALID_ARG', { kind: 'not-sent', cause: 'malformed-request' }],
]);

/** Only the code of an error is kept: the HTTP client's messages may quote the request. */
export const outcomeOfError = (error: unknown): EgressOutcome => {
  if (error instanceof TargetRefused) return { kind: 'refused-target', reason: error.reason };
  if (error instanceof NameNotResolved) return { kind: 'connection-failed', code: 'NAME_NOT_RESOLVED' };
  if (error instanceof errors.HTTPParserError) return { kind: 'answer-malformed' };
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const known = typeof code === 'string' && CODE.test(code) ? code : 'UNKNOWN';
  return BY_CODE.get(known) ?? { kind: 'connection-failed', code: known };
};

/** The one status that delivers; any other is repeated (protocol decisions, sections 6 and 8). */
export const DELIVERED_STATUS = 200;
