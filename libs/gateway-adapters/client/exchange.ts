import { errors, type Dispatcher } from 'undici';
import type { GateReply, LostCause, NotSentCause } from './reply';
import { NoConnection } from './connector';
import { AnswerTooLarge } from './wire-limit';

const UTF8 = new TextDecoder();
const FIRST_BYTES = 2_048;

/**
 * The body of an answer, copied as it comes: a piece is a view of all that the socket read at once, and would keep that in memory for the one byte that
 * it may be. Its owner limits the length.
 */
export class AnswerBody {
  #space: Uint8Array | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    const end = this.#length + piece.byteLength;
    const space = this.#withSpaceFor(end);
    space.set(piece, this.#length);
    this.#length = end;
  }

  bytes(): Uint8Array {
    return this.#space?.subarray(0, this.#length) ?? new Uint8Array();
  }

  text(): string {
    return UTF8.decode(this.bytes());
  }

  /** Doubled, so that the copies of a body that drips in add up to its length and not to its square. */
  #withSpaceFor(length: number): Uint8Array {
    const held = this.#space;
    if (held !== undefined && held.byteLength >= length) return held;
    const larger = new Uint8Array(Math.max(length, (held?.byteLength ?? 0) * 2, FIRST_BYTES));
    larger.set(this.bytes());
    this.#space = larger;
    return larger;
  }
}

/** The call that an exchange belongs to. */
export interface ExchangeOwner {
  /** Asked in the moment before the first byte is written. */
  maySend(): boolean;
  /** Called once, when the HTTP client is done with the request. */
  exchanged(reply: GateReply): void;
}

class HeldBack extends Error {
  override readonly name = 'HeldBack';
}

const TOO_LARGE: ReadonlySet<string> = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_HEADERS_OVERFLOW']);

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | undefined)?.code;

const lossOf = (error: unknown): LostCause => {
  if (error instanceof errors.HTTPParserError) return 'malformed';
  const code = codeOf(error);
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'malformed';
  return error instanceof AnswerTooLarge || (typeof code === 'string' && TOO_LARGE.has(code)) ? 'too-large' : 'connection-lost';
};

const notSentAs = (error: unknown): NotSentCause => {
  if (error instanceof NoConnection) return error.notSent;
  const code = codeOf(error);
  if (code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED') return 'closed';
  return code === 'UND_ERR_INVALID_ARG' ? 'malformed-request' : 'unreachable';
};

/** No encoding was asked for but that of chunks, which the HTTP client undoes. */
const isEncoded = (headers: AnswerHeaders): boolean => {
  const [content, transfer] = [headers['content-encoding'] ?? 'identity', headers['transfer-encoding'] ?? 'chunked'];
  return !['', 'identity'].includes(String(content).toLowerCase()) || String(transfer).toLowerCase() !== 'chunked';
};

const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Where only the end of the connection marks the end of a body, it may have been cut off: Node does not always tell a reset from an end. */
const hasEnd = (status: number, headers: AnswerHeaders): boolean =>
  BODILESS.has(status) || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One request and its answer, by the HTTP client's own callbacks. None of them throws: the HTTP client would take the process down. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly body = new AnswerBody();
  #isSent = false;
  #status = 0;
  #headers: AnswerHeaders = {};

  constructor(private readonly owner: ExchangeOwner) {}

  /** False is certain: no byte was written. True may be too much said. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** Of the answer, so far as it came. */
  get headerNames(): readonly string[] {
    return Object.keys(this.#headers);
  }

  /** The HTTP client writes the request when this has returned, in the same turn; or nothing, where it was aborted here. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The HTTP client may begin a request again whose connection broke: a request leaves once.
    if (this.#isSent || !this.owner.maySend()) controller.abort(new HeldBack());
    else this.#isSent = true;
  }

  /** An interim answer comes here first, where there is one. */
  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    this.body.add(piece);
  }

  onResponseEnd(): void {
    const [status, headers] = [this.#status, this.#headers];
    if (isEncoded(headers) || !hasEnd(status, headers)) this.owner.exchanged({ kind: 'lost', cause: 'malformed' });
    else {
      const [contentType] = [headers['content-type']].flat();
      this.owner.exchanged({ kind: 'answered', status, contentType, body: this.body.text() });
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.owner.exchanged(this.#isSent ? { kind: 'lost', cause: lossOf(error) } : { kind: 'not-sent', cause: notSentAs(error) });
  }
}
