import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { GrpcCode, type GrpcFailure } from './grpc-failure';
import { framed, unframed } from './grpc-frames';

export interface GrpcMethod<Request, Response> {
  readonly path: string;
  requestDeserialize(bytes: Buffer): Request;
  responseSerialize(message: Response): Buffer;
}

export class CallEnded extends Error {
  override readonly name = 'CallEnded';
}

export class GrpcCall<Request, Response> {
  readonly metadata: IncomingHttpHeaders;
  readonly #stream: ServerHttp2Stream;
  readonly #method: GrpcMethod<Request, Response>;
  readonly #thawed: () => Promise<void> | undefined;
  #isAnswered = false;
  #isOver = false;

  constructor(
    stream: ServerHttp2Stream,
    metadata: IncomingHttpHeaders,
    method: GrpcMethod<Request, Response>,
    thawed: () => Promise<void> | undefined,
  ) {
    this.#stream = stream;
    this.metadata = metadata;
    this.#method = method;
    this.#thawed = thawed;
  }

  get isOpen(): boolean {
    return !this.#isOver && !this.#stream.destroyed && !this.#stream.closed;
  }

  async *requests(): AsyncGenerator<Request, void, undefined> {
    const chunks = this.#stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    for await (const message of unframed(chunks)) {
      await this.#thawed();
      if (!this.isOpen) throw new CallEnded();
      yield this.#method.requestDeserialize(message);
    }
    if (this.#stream.aborted || this.#stream.destroyed) throw new CallEnded();
  }

  async request(): Promise<Request> {
    for await (const request of this.requests()) return request;
    throw new CallEnded();
  }

  /** False if the client reads too slowly; `drained()` resolves when more can be sent. */
  send(message: Response): boolean {
    if (!this.isOpen) return true;
    this.#answer();
    return this.#stream.write(framed(this.#method.responseSerialize(message)));
  }

  drained(): Promise<void> {
    if (!this.isOpen || !this.#stream.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#stream.off('drain', done).off('close', done);
        resolve();
      };
      this.#stream.on('drain', done).on('close', done);
    });
  }

  closed(): Promise<void> {
    return this.#stream.closed ? Promise.resolve() : new Promise((resolve) => this.#stream.once('close', () => resolve()));
  }

  end(): void {
    this.#finish({ 'grpc-status': `${GrpcCode.ok}` });
  }

  fail({ code, message, trailers }: GrpcFailure): void {
    this.#finish({ 'grpc-status': `${code}`, 'grpc-message': encodeURI(message), ...trailers });
  }

  /** Ends the stream without a status, like a gracefully stopping server. Messages sent before still arrive. */
  reset(): void {
    if (!this.isOpen) return;
    this.#answer();
    this.#isOver = true;
    this.#stream.once('wantTrailers', () => setImmediate(() => this.#stream.close(constants.NGHTTP2_NO_ERROR)));
    this.#stream.end();
    this.#stream.resume();
  }

  /** Breaks the whole connection: the answers of its other calls are lost too. */
  breakConnection(): void {
    this.#stream.session?.destroy();
  }

  #finish(trailers: Readonly<Record<string, string>>): void {
    if (!this.isOpen) return;
    this.#isOver = true;
    if (this.#isAnswered) {
      this.#stream.once('wantTrailers', () => this.#stream.sendTrailers({ ...trailers }));
      this.#stream.end();
    } else {
      this.#isAnswered = true;
      this.#stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
    }
    this.#stream.resume();
  }

  #answer(): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  }
}
