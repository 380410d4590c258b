import type { Dispatcher } from 'undici';
import { statusBefore } from './connection';

const UTF8 = new TextDecoder();
const FIRST_BYTES = 1_024;
const FINAL_STATUS_MIN = 200;

/** Copies the body: a received piece is a view that keeps the whole read buffer in memory. The owner limits the length. */
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

  /** Decoded as UTF-8; invalid bytes become U+FFFD. */
  text(): string {
    return UTF8.decode(this.bytes());
  }

  /** Doubles, so that copying a body in tiny pieces stays linear. */
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

/** No encoding was accepted except chunks, which the HTTP client decodes. */
export const isEncoded = (headers: AnswerHeaders): boolean => {
  const [content, transfer] = [headers['content-encoding'] ?? 'identity', headers['transfer-encoding'] ?? 'chunked'];
  return !['', 'identity'].includes(String(content).toLowerCase()) || String(transfer).toLowerCase() !== 'chunked';
};

export interface ExchangeOwner {
  /** Called just before the first byte is written. */
  maySend(): boolean;
  /** The final status, before its body; interim answers are skipped. */
  answering(status: number): void;
  /** Called once, when the HTTP client is done: with the status of a complete answer, or with the failure. */
  exchanged(end: { readonly status: number } | { readonly error: Error }): void;
}

class HeldBack extends Error {
  override readonly name = 'HeldBack';
}

/**
 * One request and its answer, by the HTTP client's callbacks: a stream and a signal would cost a third of a call.
 * Callbacks must not throw, or the HTTP client crashes the process.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly body = new AnswerBody();
  #isSent = false;
  #status = 0;
  #headers: AnswerHeaders = {};

  constructor(
    private readonly owner: ExchangeOwner,
    private readonly needsStatusAlone: boolean,
  ) {}

  /** `false` guarantees that nothing was written; `true` means that something may have been. */
  get isSent(): boolean {
    return this.#isSent;
  }

  get headers(): AnswerHeaders {
    return this.#headers;
  }

  /** The HTTP client writes the request when this returns, in the same tick, unless it was aborted here. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The HTTP client may restart a request after a broken connection, but a request must be sent only once.
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
