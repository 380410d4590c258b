import type { Dispatcher } from 'undici';
import { statusBefore } from './answered-status';
import { outcomeOfError, type EgressOutcome } from './outcome';

const UTF8 = new TextDecoder();

const isEncoded = (encoding: string | string[] | undefined): boolean =>
  encoding !== undefined && encoding !== '' && encoding !== 'identity';

const FIRST_BYTES = 1_024;
/** Below it an answer is an interim one. */
const FINAL_STATUS_MIN = 200;

/**
 * The bytes of an answer, copied as they come. Each piece is a view of the whole buffer that the socket read, and would keep it in memory: a server
 * can send any number of bytes for one byte of its body.
 */
class AnswerBytes {
  #bytes = Buffer.alloc(0);
  #length = 0;

  add(piece: Uint8Array): void {
    const length = this.#length + piece.byteLength;
    if (length > this.#bytes.byteLength) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#bytes.byteLength, FIRST_BYTES));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  text(): string {
    return UTF8.decode(this.#bytes.subarray(0, this.#length));
  }
}

/** One request and its answer, by the client's own callbacks: a stream and a signal for each call would cost a third of the call. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #body = new AnswerBytes();
  #controller: Dispatcher.DispatchController | undefined;
  #isAborted = false;
  #isEncoded = false;
  #status = 0;

  /**
   * @param resolve called once, at the end, with the whole answer or with the failure
   * @param onStatus for a caller that needs only the status: called with the status of the last answer, and no body is kept
   */
  constructor(
    private readonly resolve: (outcome: EgressOutcome) => void,
    private readonly onStatus?: (status: number) => void,
  ) {}

  /** May come before there is a connection; the request then ends as it begins. */
  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort(new Error('the call took too long'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isAborted) this.abort();
  }

  /** An interim answer comes here first, where there is one: the last answer counts. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#isEncoded = isEncoded(headers['content-encoding']);
    if (status >= FINAL_STATUS_MIN) this.onStatus?.(status);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.onStatus === undefined) this.#body.add(chunk);
  }

  onResponseEnd(): void {
    const answered = { kind: 'answered', status: this.#status } as const;
    this.resolve(this.#isEncoded ? answered : { ...answered, body: this.#body.text() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const status = this.onStatus === undefined ? undefined : statusBefore(error);
    this.resolve(status === undefined ? outcomeOfError(error) : { kind: 'answered', status });
  }
}
