import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { reply, resetSocket, type PeerAnswer } from './answers';
import { certificateFor, type PeerCertificate } from './certificates';
import { RequestReader, type ReceivedRequest } from './request-reader';

export interface PeerOptions {
  readonly tlsName?: string;
}

/** The connection is reset after this many bytes; 0 means at once. */
export interface BrokenConnection {
  readonly afterBytes: number;
}

const HOST = '127.0.0.1';
const UNSCRIPTED = reply('no answer is scripted for this request', { status: 500 });

/** A test server that answers by script and records its requests. Uses bare sockets, so that it can also send invalid HTTP. */
export class ScriptedPeer {
  readonly #requests: ReceivedRequest[] = [];
  readonly #script: PeerAnswer[] = [];
  readonly #broken: BrokenConnection[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #readers: RequestReader[] = [];
  readonly #waiting = new Set<() => void>();
  #otherwise: PeerAnswer = UNSCRIPTED;
  #connections = 0;

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
    readonly authority: string | undefined,
  ) {}

  static async start({ tlsName }: PeerOptions = {}): Promise<ScriptedPeer> {
    const certificate = tlsName === undefined ? undefined : certificateFor(tlsName);
    const server = certificate === undefined ? createServer() : tlsServer(certificate);
    const peer = new ScriptedPeer(server, certificate === undefined ? 'http' : 'https', certificate?.certificate);
    server.on('connection', (socket: Socket) => peer.#track(socket));
    server.on(certificate === undefined ? 'connection' : 'secureConnection', (socket: Socket) => peer.#serve(socket));
    await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
    return peer;
  }

  get baseUrl(): string {
    return `${this.scheme}://${HOST}:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** In order of completion. */
  get requests(): readonly ReceivedRequest[] {
    return this.#requests;
  }

  /** Requests with at least one received byte, complete or not. */
  get begun(): number {
    return this.#readers.reduce((sum, { begun }) => sum + begun, 0);
  }

  get connections(): number {
    return this.#connections;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  answers(...answers: readonly PeerAnswer[]): this {
    this.#script.push(...answers);
    return this;
  }

  otherwise(answer: PeerAnswer): this {
    this.#otherwise = answer;
    return this;
  }

  breaks(...connections: readonly BrokenConnection[]): this {
    this.#broken.push(...connections);
    return this;
  }

  /** Resolves when this many requests have arrived since the start, with the last one. */
  async received(count = 1): Promise<ReceivedRequest> {
    await this.until(() => this.#requests.length >= count);
    const last = this.#requests[count - 1];
    if (last === undefined) throw new Error('a peer receives one request at least');
    return last;
  }

  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const ask = (): void => {
        if (!condition()) return;
        this.#waiting.delete(ask);
        resolve();
      };
      this.#waiting.add(ask);
      ask();
    });
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.hangUp();
    await closed;
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    this.#connections += 1;
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#changed();
    });
    this.#changed();
  }

  #serve(socket: Socket): void {
    const broken = this.#broken.shift();
    const reader = new RequestReader((request) => {
      this.#requests.push(request);
      (this.#script.shift() ?? this.#otherwise)(socket, request);
      this.#changed();
    });
    this.#readers.push(reader);
    socket.on('error', () => socket.destroy());
    if (broken?.afterBytes === 0) {
      resetSocket(socket);
      return;
    }
    let bytes = 0;
    socket.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (broken === undefined || bytes < broken.afterBytes) return reader.add(piece);
      reader.add(piece.subarray(0, piece.length - (bytes - broken.afterBytes)));
      resetSocket(socket);
    });
  }

  #changed(): void {
    for (const ask of [...this.#waiting]) ask();
  }
}

const tlsServer = ({ certificate, privateKey }: PeerCertificate): Server => {
  const server = createTlsServer({ cert: certificate, key: privateKey });
  server.on('tlsClientError', () => undefined);
  return server;
};

export const refusedBaseUrl = async (): Promise<string> => {
  const peer = await ScriptedPeer.start();
  const { baseUrl } = peer;
  await peer.close();
  return baseUrl;
};

/** Accepts connections and never writes, so that no TLS handshake completes. */
export const muteServer = async (): Promise<{ readonly port: number; close(): Promise<void> }> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
