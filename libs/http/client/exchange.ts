import type { Dispatcher } from 'undici';
import { statusBefore } from './connection';

const UTF8 = new TextDecoder();
const FIRST_BYTES = 1_024;
/** Below it an answer is an interim one. */
const FINAL_STATUS_MIN = 200;

/**
 * The body of an answer, copied as it comes: a piece is a view of all that the socket read at once, and would keep that in memory for the one byte that
 * it may be. Its owner limits the length.
 */
export class AnswerBody {
  #space: Uint8Array | undefined;
  #length = 0;

  add(piece: Uint8Array): void {
    const end = this.#length + piece.byteLength;
    const space = this.#withSpaceFor(end);
    space.set(piece, this.#length);
    this.#length = end;
  }

  bytes(): Uint8Array {
    return this.#space?.subarray(0, this.#length) ?? new Uint8Array();
  }

  /** Read as UTF-8; a byte that is none becomes U+FFFD. */
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

export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** No encoding was asked for but that of chunks, which the HTTP client undoes. */
export const isEncoded = (headers: AnswerHeaders): boolean => {
  const [content, transfer] = [headers['content-encoding'] ?? 'identity', headers['transfer-encoding'] ?? 'chunked'];
  return !['', 'identity'].includes(String(content).toLowerCase()) || String(transfer).toLowerCase() !== 'chunked';
};

/** The call that an exchange belongs to. */
export interface ExchangeOwner {
  /** Asked in the moment before the first byte is written. */
  maySend(): boolean;
  /** The status of the last answer, before its body; interim answers do not count. */
  answering(status: number): void;
  /** Called once, when the HTTP client is done with the request: with the status of the whole answer, or with the failure. */
  exchanged(end: { readonly status: number } | { readonly error: Error }): void;
}

class HeldBack extends Error {
  override readonly name = 'HeldBack';
}

/**
 * One request and its answer, by the HTTP client's own callbacks: a stream and a signal for each call would cost a third of the call. None of them throws:
 * the HTTP client would take the process down.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly body = new AnswerBody();
  #isSent = false;
  #status = 0;
  #headers: AnswerHeaders = {};

  constructor(
    private readonly owner: ExchangeOwner,
    /** The call is answered by its status, whatever becomes of the rest of the answer, and has no body. */
    private readonly needsStatusAlone: boolean,
  ) {}

  /** False is certain: no byte was written. True may be too much said. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** Of the answer, so far as it came. */
  get headers(): AnswerHeaders {
    return this.#headers;
  }

  /** The HTTP client writes the request when this has returned, in the same turn; or nothing, where it was aborted here. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The HTTP client may begin a request again whose connection broke: a request leaves once.
    if (this.#isSent || !this.owner.maySend()) controller.abort(new HeldBack());
    else this.#isSent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (status >= FINAL_STATUS_MIN) this.owner.answering(status);
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    if (!this.needsStatusAlone) this.body.add(piece);
  }

  onResponseEnd(): void {
    this.owner.exchanged({ status: this.#status });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const status = this.needsStatusAlone ? statusBefore(error) : undefined;
    this.owner.exchanged(status === undefined ? { error } : { status });
  }
}
