import type { Dispatcher } from 'undici';
import { outcomeOfError, type EgressOutcome } from './outcome';

const UTF8 = new TextDecoder();

const isEncoded = (encoding: string | string[] | undefined): boolean =>
  encoding !== undefined && encoding !== '' && encoding !== 'identity';

/** One request and its answer, heard from the client itself: a stream and a signal for each call would cost a third of it. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #chunks: Uint8Array[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #isAborted = false;
  #isEncoded = false;
  #status = 0;

  /** @param settle told once, of the whole answer or of what went wrong */
  constructor(private readonly settle: (outcome: EgressOutcome) => void) {}

  /** Before there is a connection too: then what goes out on it ends as it begins. */
  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort(new Error('the call took too long'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isAborted) this.abort();
  }

  /** Of an interim answer first, where there is one: what counts is the last. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#isEncoded = isEncoded(headers['content-encoding']);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const answered = { kind: 'answered', status: this.#status } as const;
    this.settle(this.#isEncoded ? answered : { ...answered, body: UTF8.decode(Buffer.concat(this.#chunks)) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settle(outcomeOfError(error));
  }
}
