import { traceparentOf, type Traced } from '@app/event-store';
import type { Monotonic, Random, Scheduler } from '@app/kernel';
import { errors } from 'undici';
import { checkedAddresses, NameNotResolved, nameServerResolution, sharedResolution, TargetRefused, type ResolveName } from './addresses';
import { AnswerTooLarge } from './connection';
import { isEncoded } from './exchange';
import { GuardedClient, type CallEnd } from './guarded-client';
import { checkUrlAtAcceptance, type AddressSource, type EgressPolicy, type TargetRefusal } from './target';

/** From the first name look-up to the last byte of the answer (safety, F31). */
export const EGRESS_DEADLINE_MS = 10_000;
/** The only status that counts as delivered; others are retried (protocol decisions, sections 6 and 8). */
export const DELIVERED_STATUS = 200;

export interface EgressRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly source: AddressSource;
  /** Encoded; appended to the address's query and not counted in the limit of its length. */
  readonly query?: string;
  /** Names in lower case. The port sets host, length, connection and accept-encoding. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Replaces the default deadline, for calls with a configured limit. */
  readonly deadlineMs?: number;
  /** `status`: the outcome has only the status, even if the rest of the answer fails. */
  readonly needs?: 'status';
}

/** The caller decides if it counts as delivered, and if it retries. */
export type EgressOutcome =
  /**
   * Any status; redirects are not followed. The body is absent if it was encoded (no encoding was accepted) or only the status was needed.
   */
  | { readonly kind: 'answered'; readonly status: number; readonly body?: string }
  /** Nothing was sent: the address leads to a forbidden target. */
  | { readonly kind: 'refused-target'; readonly reason: TargetRefusal }
  | { readonly kind: 'timed-out' }
  /** No connection, or it was lost; `code` comes from Node, OpenSSL or undici, for logs. */
  | { readonly kind: 'connection-failed'; readonly code: string }
  | { readonly kind: 'answer-too-large' }
  | { readonly kind: 'answer-malformed' }
  /** Nothing was sent: too many calls, the port is closed, or the request cannot be written as HTTP. */
  | { readonly kind: 'not-sent'; readonly cause: 'overloaded' | 'closed' | 'malformed-request' };

/** The only port for calls to a merchant's address (safety, T16). */
export interface Egress {
  /** One attempt, without redirects or repetition. Never throws. */
  send(request: EgressRequest): Promise<EgressOutcome>;
  /** Refuses new calls; resolves when the running ones have ended, each within its deadline. */
  close(): Promise<void>;
}

interface CallLimits {
  readonly perOriginMax: number;
  readonly inAllMax: number;
}

export interface EgressOptions {
  readonly policy: EgressPolicy;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  readonly resolveName?: ResolveName;
  readonly trustedAuthorities?: string;
  readonly limits?: CallLimits;
}

const CALL_LIMITS: CallLimits = { perOriginMax: 64, inAllMax: 2_048 };
/** Limits one address, including TLS. */
const CONNECT_MS_MAX = 4_000;
const ANSWER_HEADER_BYTES_MAX = 8_192;
const ANSWER_BODY_BYTES_MAX = 65_536;
const USER_AGENT = 'payment-orchestrator';
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
]);

const headersOf = (given: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries({
    'user-agent': USER_AGENT,
    ...Object.fromEntries(Object.entries(given).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))),
    'accept-encoding': 'identity',
  }).flat();

const pathOf = ({ pathname, search }: URL, query: string | undefined): string => {
  if (query === undefined) return `${pathname}${search}`;
  return search === '' ? `${pathname}?${query}` : `${pathname}${search}&${query}`;
};

const CODE = /^[A-Z0-9_]{1,64}$/;

const BY_CODE: ReadonlyMap<string, EgressOutcome> = new Map<string, EgressOutcome>([
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', { kind: 'answer-too-large' }],
  ['UND_ERR_HEADERS_OVERFLOW', { kind: 'answer-too-large' }],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', { kind: 'answer-malformed' }],
  ['UND_ERR_CLOSED', { kind: 'not-sent', cause: 'closed' }],
  ['UND_ERR_DESTROYED', { kind: 'not-sent', cause: 'closed' }],
  ['UND_ERR_INVALID_ARG', { kind: 'not-sent', cause: 'malformed-request' }],
]);

/** Keeps only an error's code: the HTTP client's messages may quote the request. */
const outcomeOfError = (error: Error): EgressOutcome => {
  if (error instanceof TargetRefused) return { kind: 'refused-target', reason: error.reason };
  if (error instanceof NameNotResolved) return { kind: 'connection-failed', code: 'NAME_NOT_RESOLVED' };
  if (error instanceof errors.HTTPParserError) return { kind: 'answer-malformed' };
  if (error instanceof AnswerTooLarge) return { kind: 'answer-too-large' };
  const { code } = error as { readonly code?: unknown };
  const known = typeof code === 'string' && CODE.test(code) ? code : 'UNKNOWN';
  return BY_CODE.get(known) ?? { kind: 'connection-failed', code: known };
};

const outcomeOf = ({ outcome, headers, body }: CallEnd, needs: EgressRequest['needs']): EgressOutcome => {
  if (outcome.kind === 'answered') {
    const answered = { kind: 'answered', status: outcome.status } as const;
    return needs === 'status' || isEncoded(headers) ? answered : { ...answered, body: body?.text() ?? '' };
  }
  switch (outcome.why) {
    case 'busy':
      return { kind: 'not-sent', cause: 'overloaded' };
    case 'closed':
      return { kind: 'not-sent', cause: 'closed' };
    case 'timeout':
    case 'aborted':
      return { kind: 'timed-out' };
    default:
      return outcomeOfError(outcome.why);
  }
};

export const openEgress = ({ policy, resolveName = nameServerResolution(), limits = CALL_LIMITS, ...options }: EgressOptions): Egress => {
  const client = new GuardedClient({
    ...options,
    connectionsMax: limits.perOriginMax,
    waitingMax: 0,
    inUseMax: limits.inAllMax,
    connectMs: CONNECT_MS_MAX,
    answerHeaderBytesMax: ANSWER_HEADER_BYTES_MAX,
    answerBytesMax: ANSWER_BODY_BYTES_MAX,
    addressesOf: checkedAddresses({ policy, resolveName: sharedResolution(resolveName), scheduler: options.scheduler }),
  });
  return {
    send: async ({ method, url, source, query, headers, body, deadlineMs = EGRESS_DEADLINE_MS, needs }) => {
      const target = checkUrlAtAcceptance(url, policy, source);
      if (target.kind === 'refused') return { kind: 'refused-target', reason: target.reason };
      const written = { method, path: pathOf(target.url, query), headers: headersOf(headers), body };
      return outcomeOf(await client.send(target.url.origin, written, { withinMs: deadlineMs, needs }), needs);
    },
    close: () => client.close(),
  };
};

/** Adds the trace of the originating request (W3C Trace Context, level 1), with a new span per attempt. */
export const underTrace = (request: EgressRequest, traced: Traced, random: Pick<Random, 'bytes'>): EgressRequest => {
  const traceparent = traceparentOf(traced, random);
  return traceparent === undefined ? request : { ...request, headers: { ...request.headers, traceparent } };
};
