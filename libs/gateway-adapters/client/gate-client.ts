import type { LookupFunction } from 'node:net';
import { AnswerTooLarge, GuardedClient, isEncoded, NoConnection, type AnswerHeaders, type CallEnd } from '@app/http/client';
import { parseUrl, type GateAlias, type Monotonic, type Scheduler, type Secret } from '@app/kernel';
import { errors } from 'undici';
import type { CallLimit } from '../contract';
import {
  encodeRequest,
  targetOf,
  type EncodedRequest,
  type GateReply,
  type GateRequest,
  type LostCause,
  type NotSentCause,
} from './request';
import { Transcript, type TranscriptEntry } from './transcript';

export const ANSWER_HEADER_BYTES_MAX = 16_384;
export const ANSWER_BYTES_MAX = 262_144;

export interface GateClientOptions {
  readonly gate: GateAlias;
  /** http or https, with an optional path that prefixes every request's path. */
  readonly baseUrl: string;
  readonly connectionsMax: number;
  readonly waitingMax: number;
  readonly connectMs: number;
  /** Limits only the body; replaces ANSWER_BYTES_MAX. */
  readonly answerBytesMax?: number;
  readonly trustedAuthorities?: string;
  readonly lookup?: LookupFunction;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  readonly onTranscript?: (entry: TranscriptEntry) => void;
  /** Key of the transcripts' digests. Without it, digests are comparable only within one client. */
  readonly digestKey?: Secret<Uint8Array>;
}

/**
 * Splits a gate's address; the path has no slash at its end.
 * @throws Error for an address that is not http or https, or has a query, a fragment or a user
 */
export const gateAddress = (baseUrl: string): { readonly origin: string; readonly pathPrefix: string } => {
  const url = parseUrl(baseUrl);
  const isPlain = url !== undefined && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) throw new Error('a gate needs an http or https address');
  return { origin: url.origin, pathPrefix: url.pathname.replace(/\/$/, '') };
};

const TOO_LARGE: ReadonlySet<unknown> = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_HEADERS_OVERFLOW']);
const CLOSED: ReadonlySet<unknown> = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

const codeOf = (error: Error): unknown => (error as { readonly code?: unknown }).code;

const lossOf = (error: Error): LostCause => {
  if (error instanceof errors.HTTPParserError || codeOf(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'malformed';
  return error instanceof AnswerTooLarge || TOO_LARGE.has(codeOf(error)) ? 'too-large' : 'connection-lost';
};

const notSentAs = (error: Error): NotSentCause => {
  if (error instanceof NoConnection) return error.stage;
  if (CLOSED.has(codeOf(error))) return 'closed';
  return codeOf(error) === 'UND_ERR_INVALID_ARG' ? 'malformed-request' : 'unreachable';
};

/** If only the connection's end marks the end of a body, the body may be truncated: Node cannot always distinguish a reset from an end. */
const hasEnd = (status: number, headers: AnswerHeaders): boolean =>
  BODILESS.has(status) || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

const replyOf = ({ outcome, headers, body }: CallEnd): GateReply => {
  if (outcome.kind === 'answered') {
    const { status } = outcome;
    if (isEncoded(headers) || !hasEnd(status, headers)) return { kind: 'lost', cause: 'malformed' };
    const [contentType] = [headers['content-type']].flat();
    return { kind: 'answered', status, contentType, body: body?.text() ?? '' };
  }
  const { isSent, why } = outcome;
  if (!isSent) return { kind: 'not-sent', cause: typeof why === 'string' ? why : notSentAs(why) };
  if (typeof why !== 'string') return { kind: 'lost', cause: lossOf(why) };
  return { kind: 'lost', cause: why === 'closed' ? 'connection-lost' : 'timeout' };
};

/**
 * HTTP client of an adapter: the guarded client with the gate's limits and a transcript of each call.
 * An answer needs a length or chunks. A gate may answer a request twice, so adapters check which request an answer names.
 */
export class GateClient {
  readonly #origin: string;
  readonly #pathPrefix: string;
  readonly #client: GuardedClient;
  readonly #transcript: Transcript | undefined;

  constructor(private readonly options: GateClientOptions) {
    const { gate, baseUrl, onTranscript, digestKey, ...limits } = options;
    const { origin, pathPrefix } = gateAddress(baseUrl);
    this.#origin = origin;
    this.#pathPrefix = pathPrefix;
    this.#client = new GuardedClient({ answerBytesMax: ANSWER_BYTES_MAX, ...limits, answerHeaderBytesMax: ANSWER_HEADER_BYTES_MAX });
    this.#transcript = onTranscript && new Transcript(gate, onTranscript, digestKey);
  }

  /** Resolves with the answer or at the time limit, whichever comes first. Never rejects. */
  async send(request: GateRequest, limit: CallLimit): Promise<GateReply> {
    const encoded = encodeRequest(request, this.#pathPrefix, limit.trace);
    if (encoded === undefined) {
      const begunAtMs = this.options.monotonic.elapsedMs();
      const ended = { headers: {}, body: undefined, times: { begunAtMs }, endedAtMs: begunAtMs };
      return this.#ended(request, encoded, { kind: 'not-sent', cause: 'malformed-request' }, ended);
    }
    const { method, headers, body } = encoded;
    const end = await this.#client.send(this.#origin, { method, path: targetOf(encoded), headers, body }, limit);
    return this.#ended(request, encoded, replyOf(end), end);
  }

  /** Refuses new calls and gives running ones `withinMs`. Resolves when all sockets are closed; a second call waits for the first. */
  close(withinMs: number): Promise<void> {
    return this.#client.close(withinMs);
  }

  #ended({ method }: GateRequest, encoded: EncodedRequest | undefined, reply: GateReply, end: Omit<CallEnd, 'outcome'>): GateReply {
    this.#transcript?.add({ method, request: encoded, reply, end });
    return reply;
  }
}

type SharedOptions = Pick<GateClientOptions, 'monotonic' | 'scheduler' | 'onTranscript'>;

export class GateClients {
  readonly #clients = new Set<GateClient>();

  constructor(private readonly shared: SharedOptions) {}

  open(own: Omit<GateClientOptions, keyof SharedOptions>): GateClient {
    const client = new GateClient({ ...own, ...this.shared });
    this.#clients.add(client);
    return client;
  }

  async close(withinMs: number): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.close(withinMs)));
  }
}
