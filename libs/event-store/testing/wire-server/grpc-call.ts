import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { GrpcCode, GrpcFailure } from './grpc-failure';

/** One method as the generated service definitions describe it. */
export interface GrpcMethod<Request, Response> {
  readonly path: string;
  requestDeserialize(bytes: Buffer): Request;
  responseSerialize(message: Response): Buffer;
}

const PREFIX_BYTES = 5;
/** A record of EventStoreDB's log is no larger. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/** The other side went away, or the server did: nobody waits for an answer. */
export class CallEnded extends Error {
  override readonly name = 'CallEnded';
}

/** One call over its HTTP/2 stream: length-prefixed messages both ways, the status in the trailers. */
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

  /** @throws CallEnded where the caller gives up before its last message. */
  async *requests(): AsyncGenerator<Request, void, undefined> {
    let chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.#stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      let needed = PREFIX_BYTES;
      while (bytes >= needed) {
        const [first] = chunks;
        const start = first !== undefined && first.length >= PREFIX_BYTES ? first : Buffer.concat(chunks);
        const length = start.readUInt32BE(1);
        if (length > MESSAGE_BYTES_MAX) {
          throw new GrpcFailure(GrpcCode.resourceExhausted, 'Received message exceeds the maximum configured message size.');
        }
        needed = PREFIX_BYTES + length;
        if (bytes < needed) break;
        const all = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
        chunks = [all.subarray(needed)];
        bytes -= needed;
        await this.#thawed();
        if (!this.isOpen) throw new CallEnded();
        yield this.#method.requestDeserialize(all.subarray(PREFIX_BYTES, needed));
        needed = PREFIX_BYTES;
      }
    }
    if (this.#stream.aborted || this.#stream.destroyed) throw new CallEnded();
  }

  /** @throws CallEnded where the caller sends none. */
  async request(): Promise<Request> {
    for await (const request of this.requests()) return request;
    throw new CallEnded();
  }

  /** False where the other side does not keep up: `drained()` tells when it may go on. */
  send(message: Response): boolean {
    if (!this.isOpen) return true;
    this.#answer();
    const bytes = this.#method.responseSerialize(message);
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(bytes.length, 1);
    return this.#stream.write(Buffer.concat([prefix, bytes]));
  }

  /** Resolves also when the call ends. */
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

  /** Resolves when nobody listens any more, however that came. */
  closed(): Promise<void> {
    return this.#stream.closed ? Promise.resolve() : new Promise((resolve) => this.#stream.once('close', () => resolve()));
  }

  end(): void {
    this.#finish({ 'grpc-status': `${GrpcCode.ok}` });
  }

  fail({ code, message, trailers }: GrpcFailure): void {
    this.#finish({ 'grpc-status': `${code}`, 'grpc-message': encodeURI(message), ...trailers });
  }

  /** Ends the stream without a status, as a server does that stops gracefully; what was sent before still arrives. */
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
