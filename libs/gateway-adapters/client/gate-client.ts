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
  /** http or https, and the path that stands before the path of every request. */
  readonly baseUrl: string;
  readonly connectionsMax: number;
  /** Calls that wait for a connection, beyond those that have one. */
  readonly waitingMax: number;
  /** Limits the making of one connection: name, TCP and TLS. */
  readonly connectMs: number;
  /** Of the body alone; replaces ANSWER_BYTES_MAX. */
  readonly answerBytesMax?: number;
  /** Certificate authorities in PEM, in place of those that Node trusts. */
  readonly trustedAuthorities?: string;
  /** Replaces the resolver of the system. */
  readonly lookup?: LookupFunction;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  /** Called once a call, when it has ended. */
  readonly onTranscript?: (entry: TranscriptEntry) => void;
  /** The digests of transcripts are made under it; without one they can be compared within one client alone. */
  readonly digestKey?: Secret<Uint8Array>;
}

/** The address of a gate, apart: its path is empty, or has no slash at its end. @throws Error for an address that is not http or https, or has a query, a fragment or a user: settings are checked before. */
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

/** Where only the end of the connection marks the end of a body, it may have been cut off: Node does not always tell a reset from an end. */
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
 * The way of an adapter to its gate: the guarded client of the service, with the gate's own limits, and a transcript of each call. An answer must say how
 * long it is: by its length, or in chunks. A gate may answer one request twice: an adapter sees to it that an answer names what it asked.
 */
export class GateClient {
  readonly #origin: string;
  readonly #pathPrefix: string;
  readonly #client: GuardedClient;
  readonly #transcript: Transcript | undefined;

  /** Opens no connection. @throws Error for a base URL that is none */
  constructor(private readonly options: GateClientOptions) {
    const { gate, baseUrl, onTranscript, digestKey, ...limits } = options;
    const { origin, pathPrefix } = gateAddress(baseUrl);
    this.#origin = origin;
    this.#pathPrefix = pathPrefix;
    this.#client = new GuardedClient({ answerBytesMax: ANSWER_BYTES_MAX, ...limits, answerHeaderBytesMax: ANSWER_HEADER_BYTES_MAX });
    this.#transcript = onTranscript && new Transcript(gate, onTranscript, digestKey);
  }

  /** Resolves when the request was answered, or its time is over, whichever is first. Never rejects. */
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

  /**
   * Accepts no more calls; those under way have until `withinMs` have passed. Resolves when all have ended and every socket is closed. A second call
   * waits for the first.
   */
  close(withinMs: number): Promise<void> {
    return this.#client.close(withinMs);
  }

  #ended({ method }: GateRequest, encoded: EncodedRequest | undefined, reply: GateReply, end: Omit<CallEnd, 'outcome'>): GateReply {
    this.#transcript?.add({ method, request: encoded, reply, end });
    return reply;
  }
}

type SharedOptions = Pick<GateClientOptions, 'monotonic' | 'scheduler' | 'onTranscript'>;

/** The clients of a process, each made by the adapter of its gate; they end together. */
export class GateClients {
  readonly #clients = new Set<GateClient>();

  constructor(private readonly shared: SharedOptions) {}

  /** Opens no connection. @throws Error for a base URL that is none */
  open(own: Omit<GateClientOptions, keyof SharedOptions>): GateClient {
    const client = new GateClient({ ...own, ...this.shared });
    this.#clients.add(client);
    return client;
  }

  /** As each client's own; resolves when all have ended. */
  async close(withinMs: number): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.close(withinMs)));
  }
}
