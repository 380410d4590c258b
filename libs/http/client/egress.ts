import { traceparentOf, type Traced } from '@app/event-store';
import type { Monotonic, Random, Scheduler } from '@app/kernel';
import { errors } from 'undici';
import { checkedAddresses, NameNotResolved, nameServerResolution, sharedResolution, TargetRefused, type ResolveName } from './addresses';
import { AnswerTooLarge } from './connection';
import { isEncoded } from './exchange';
import { GuardedClient, type CallEnd } from './guarded-client';
import { checkUrlAtAcceptance, type AddressSource, type EgressPolicy, type TargetRefusal } from './target';

/** From the first name asked for to the last byte of the answer (safety, F31). */
export const EGRESS_DEADLINE_MS = 10_000;
/** The one status that delivers; any other is repeated (protocol decisions, sections 6 and 8). */
export const DELIVERED_STATUS = 200;

export interface EgressRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly source: AddressSource;
  /** Encoded; appended to the address's own query. The limit on an address's length does not count it. */
  readonly query?: string;
  /** Names in lower case. The port itself sets host, length, connection and accept-encoding. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Replaces the port's deadline, for calls whose wait is a setting. */
  readonly deadlineMs?: number;
  /** `status`: the call is answered by its status, whatever becomes of the rest of the answer, and has no body. */
  readonly needs?: 'status';
}

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

/** The one port through which every call to a merchant's address goes (safety, T16). */
export interface Egress {
  /** One try: no redirect, no repetition. Never throws; every way to end is an outcome. */
  send(request: EgressRequest): Promise<EgressOutcome>;
  /** Accepts no more calls and resolves when those under way have ended, each within its deadline. */
  close(): Promise<void>;
}

/** Limits on calls under way. */
interface CallLimits {
  readonly perOriginMax: number;
  readonly inAllMax: number;
}

export interface EgressOptions {
  readonly policy: EgressPolicy;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  /** The name servers of the system where it is absent. */
  readonly resolveName?: ResolveName;
  /** Certificate authorities in PEM, in place of those that Node trusts. */
  readonly trustedAuthorities?: string;
  /** Replaces CALL_LIMITS, for a caller that keeps to limits of its own. */
  readonly limits?: CallLimits;
}

const CALL_LIMITS: CallLimits = { perOriginMax: 64, inAllMax: 2_048 };
/** Limits one address, TLS included. */
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

/** Only the code of an error is kept: the HTTP client's messages may quote the request. */
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

/** Adds the trace of the request that led to this call (W3C Trace Context, level 1), with a span for each try. */
export const underTrace = (request: EgressRequest, traced: Traced, random: Pick<Random, 'bytes'>): EgressRequest => {
  const traceparent = traceparentOf(traced, random);
  return traceparent === undefined ? request : { ...request, headers: { ...request.headers, traceparent } };
};
