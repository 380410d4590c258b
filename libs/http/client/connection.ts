import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Monotonic, Scheduled, Scheduler } from '@app/kernel';
import { Client, type buildConnector, type Dispatcher } from 'undici';

/** No connection, so nothing was written. `code` comes from Node or OpenSSL; the error's message is dropped. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';

  constructor(
    readonly stage: 'unreachable' | 'name-not-resolved' | 'tls',
    readonly code: string,
  ) {
    super(`no connection: ${stage}`);
  }
}

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  constructor() {
    super('the answer is too large on the wire');
  }
}

export interface ConnectionOptions {
  /** Limits the connection phase: TCP and TLS, and the name if the system resolves it. */
  readonly connectMs: number;
  readonly answerHeaderBytesMax: number;
  readonly answerBytesMax: number;
  readonly trustedAuthorities?: string | undefined;
  /** Addresses of a host that may be called, in order of use. If absent, the system resolves the name without checks. */
  readonly addressesOf?: ((host: string) => Promise<readonly string[]>) | undefined;
  readonly lookup?: LookupFunction | undefined;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
}

export interface WrittenRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  /** Encoded only after a connection is available, so that a call without one costs little. */
  readonly body: string | undefined;
}

const KEEP_ALIVE_AFTER_MS = 60_000;
const ADDRESSES_TRIED_MAX = 3;
const IDLE_MS_MAX = 4_000;
/** Limits the idle time if the peer promises to keep a socket longer. */
const IDLE_PROMISED_MS_MAX = 60_000;
/** After this the name is resolved and checked again, because its address may have changed. */
const SOCKET_LIFE_MS_MAX = 300_000;
/** A body in chunks of one byte each needs this many bytes per byte. */
const WIRE_BYTES_PER_BYTE = 6;
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

const STATUS_LINE = /^HTTP\/1\.[01] ([2-5]\d\d)[ \r\n]/;
const HEAD_CHARACTERS_MAX = 16;
const statuses = new WeakMap<Error, number>();

/** The status received before a connection failed, for headers that the HTTP client rejects before it reports a status. */
export const statusBefore = (error: Error): number | undefined => statuses.get(error);

/** Records the first bytes after each write: with one call at a time on a socket, they begin the answer. */
const watchStatus = (socket: Socket): void => {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...parameters: unknown[]) => boolean;
  let head = '';
  socket.write = (...parameters: unknown[]): boolean => {
    head = '';
    return write(...parameters);
  };
  socket.read = (size?: number): Buffer | null => {
    const piece = read(size);
    if (piece !== null && head.length < HEAD_CHARACTERS_MAX) head += piece.toString('latin1', 0, HEAD_CHARACTERS_MAX);
    return piece;
  };
  socket.on('error', (error: Error) => {
    const [, status] = STATUS_LINE.exec(head) ?? [];
    if (status !== undefined) statuses.set(error, Number(status));
  });
};

/**
 * Closes a connection if one answer exceeds `bytesMax`. The HTTP client does not limit chunk extensions, blanks in headers or interim
 * answers.
 */
const limitWire = (socket: Socket, bytesMax: number): void => {
  let written = socket.bytesWritten;
  let readBefore = socket.bytesRead;
  let from = readBefore;
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      from = readBefore;
    }
    readBefore = socket.bytesRead;
    if (readBefore - from > bytesMax) socket.destroy(new AnswerTooLarge());
  });
};

/**
 * One keep-alive connection, with one request at a time. It reconnects only before a request is written; nothing is repeated after that.
 * Connects only to checked addresses, without a second look-up. Host and SNI keep the name (safety, T16, F44).
 */
export class Connection {
  readonly #client: Client;
  #socket: Socket | undefined;
  #madeAtMs: number | undefined;
  #cuts = 0;

  constructor(
    origin: string,
    private readonly options: ConnectionOptions,
  ) {
    this.#client = new Client(origin, {
      connect: this.#connect,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS_MAX,
      keepAliveMaxTimeout: IDLE_PROMISED_MS_MAX,
      maxHeaderSize: options.answerHeaderBytesMax,
      maxResponseSize: options.answerBytesMax,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Too old for another request: a new connection resolves the name again. */
  get isWornOut(): boolean {
    return this.#madeAtMs !== undefined && this.options.monotonic.elapsedMs() - this.#madeAtMs >= SOCKET_LIFE_MS_MAX;
  }

  dispatch({ method, path, headers, body = null as never }: WrittenRequest, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch({ method, path, headers: [...headers], body }, handler);
  }

  /** Ends the current request and its socket, also during the connection phase; the next request reconnects. */
  cut(): void {
    this.#cuts += 1;
    this.#socket?.destroy();
  }

  async destroy(): Promise<void> {
    const destroyed = this.#client.destroy();
    this.cut();
    await destroyed;
  }

  readonly #connect: buildConnector.connector = (target, callback) => {
    const { addressesOf } = this.options;
    if (addressesOf === undefined) this.#open(target, target.hostname, callback);
    else
      this.#openFirst(target, addressesOf).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
  };

  async #openFirst(target: buildConnector.Options, addressesOf: (host: string) => Promise<readonly string[]>): Promise<Socket> {
    const cuts = this.#cuts;
    const addresses = await addressesOf(target.hostname);
    let failure: Error = new NoConnection('unreachable', CONNECT_TIMEOUT);
    for (const address of addresses.slice(0, ADDRESSES_TRIED_MAX)) {
      if (this.#cuts !== cuts) break;
      const opened = await new Promise<Socket | Error>((resolve) =>
        this.#open(target, address, (error, socket) => resolve(error ?? socket)),
      );
      if (!(opened instanceof Error)) return opened;
      failure = opened;
    }
    throw failure;
  }

  #open(target: buildConnector.Options, host: string, callback: buildConnector.Callback): void {
    const { connectMs, answerHeaderBytesMax, answerBytesMax, scheduler, monotonic } = this.options;
    const isTls = target.protocol === 'https:';
    let stage: NoConnection['stage'] = isIP(host) === 0 ? 'name-not-resolved' : 'unreachable';
    let code = CONNECT_TIMEOUT;
    let isMade = false;
    const socket = this.#socketTo(target, host, isTls);
    this.#socket = socket;
    const timer: Scheduled = scheduler.after(connectMs, () => socket.destroy());
    socket.once('lookup', (error?: Error | null) => (stage = error instanceof Error ? 'name-not-resolved' : 'unreachable'));
    if (isTls) socket.once('connect', () => (stage = 'tls'));
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      isMade = true;
      timer.cancel();
      this.#madeAtMs = monotonic.elapsedMs();
      limitWire(socket, WIRE_BYTES_PER_BYTE * (answerHeaderBytesMax + answerBytesMax));
      watchStatus(socket);
      callback(null, socket);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code ?? 'UNKNOWN'));
    socket.once('close', () => {
      timer.cancel();
      if (!isMade) callback(new NoConnection(stage, code), null);
    });
  }

  #socketTo({ hostname, port, protocol }: buildConnector.Options, host: string, isTls: boolean): Socket {
    const { trustedAuthorities, lookup } = this.options;
    const address = {
      host,
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_AFTER_MS,
      ...(lookup !== undefined && { lookup }),
    };
    if (!isTls) return connectTcp(address);
    return connectTls({
      ...address,
      // SNI must not be an IP address.
      ...(isIP(hostname) === 0 && { servername: hostname }),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      // Explicit, because an environment variable could disable it for the whole process.
      rejectUnauthorized: true,
      ...(trustedAuthorities !== undefined && { ca: trustedAuthorities }),
    });
  }
}
