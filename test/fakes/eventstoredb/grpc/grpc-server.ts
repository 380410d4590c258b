import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { CallEnded, GrpcCall, type GrpcMethod } from './grpc-call';
import { GrpcCode, GrpcFailure, handlerThrew } from './grpc-failure';

/** EventStoreDB's limit of streams per connection; further calls wait without an error. */
const STREAMS_PER_CONNECTION_MAX = 100;

/** A stopping server closes the connection of a client that does not read after this time. */
const FLUSH_MS = 200;

type AnyCall = GrpcCall<unknown, unknown>;
type Route = { readonly method: GrpcMethod<unknown, unknown>; readonly handler: (call: AnyCall) => Promise<void> };

export class GrpcServer {
  readonly #routes = new Map<string, Route>();
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #calls = new Set<AnyCall>();
  readonly #streamsMax: number;
  #server: Http2Server | undefined;
  #thawed: Promise<void> | undefined;
  #thaw: () => void = () => undefined;

  constructor(streamsMax = STREAMS_PER_CONNECTION_MAX) {
    this.#streamsMax = streamsMax;
  }

  on<Request, Response>(method: GrpcMethod<Request, Response>, handler: (call: GrpcCall<Request, Response>) => Promise<void>): void {
    this.#routes.set(method.path, { method, handler } as unknown as Route);
  }

  get port(): number {
    if (this.#server === undefined) throw new Error('the server is down');
    return (this.#server.address() as AddressInfo).port;
  }

  get openCalls(): number {
    return this.#calls.size;
  }

  async listen(host: string, port: number): Promise<void> {
    if (this.#server !== undefined) throw new Error('the server is up');
    const server = createServer({ settings: { maxConcurrentStreams: this.#streamsMax } });
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
    });
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('error', () => undefined).once('close', () => this.#sessions.delete(session));
    });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      const route = this.#routes.get(headers[':path'] ?? '');
      const method = route?.method ?? UNKNOWN_METHOD;
      const call: AnyCall = new GrpcCall(stream, headers, method, () => this.#thawed);
      this.#calls.add(call);
      stream.once('close', () => this.#calls.delete(call));
      void this.#serve(call, route);
    });
    server.listen(port, host);
    await once(server, 'listening');
    this.#server = server;
  }

  async kill(): Promise<void> {
    const server = this.#down();
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async stop(graceMs: number): Promise<void> {
    const server = this.#down();
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const session of this.#sessions) session.close();
    const patience = setTimeout(() => {
      for (const call of this.#calls) call.reset();
    }, graceMs);
    const end = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, graceMs + FLUSH_MS);
    await closed;
    clearTimeout(patience);
    clearTimeout(end);
  }

  /** Leaves arriving calls and messages unprocessed until `thaw()`. */
  freeze(): void {
    this.#thawed ??= new Promise((resolve) => (this.#thaw = resolve));
  }

  thaw(): void {
    this.#thaw();
    this.#thawed = undefined;
  }

  #down(): Http2Server | undefined {
    const server = this.#server;
    this.#server = undefined;
    this.thaw();
    return server;
  }

  async #serve(call: AnyCall, route: Route | undefined): Promise<void> {
    try {
      if (route === undefined) throw new GrpcFailure(GrpcCode.unimplemented, 'Service is unimplemented.');
      await route.handler(call);
    } catch (error) {
      if (error instanceof CallEnded || !call.isOpen) return;
      call.fail(error instanceof GrpcFailure ? error : handlerThrew());
    }
  }
}

const UNKNOWN_METHOD: GrpcMethod<unknown, unknown> = {
  path: '',
  requestDeserialize: (bytes) => bytes,
  responseSerialize: () => Buffer.alloc(0),
};
