import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { unreachable } from '@app/kernel';
import { freePort } from '../processes/free-port';

export interface ReceivedCallback {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly webhookId: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly behaviour: Behaviour;
}

export type Behaviour =
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'hang' }
  | { readonly kind: 'slow'; readonly afterMs: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'answer-lost' };

export const DELIVERED: Behaviour = { kind: 'status', status: 200 };

const HOST = '127.0.0.1';

export class CallbackReceiver {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #received: ReceivedCallback[] = [];
  readonly #tries = new Map<string, number>();
  readonly port: number;
  #behaviour: (path: string, tryNumber: number) => Behaviour = () => DELIVERED;

  private constructor(port: number) {
    this.port = port;
    this.#server = createServer((request, response) => void this.take(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(): Promise<CallbackReceiver> {
    const receiver = new CallbackReceiver(await freePort());
    await receiver.comeUp();
    return receiver;
  }

  get received(): readonly ReceivedCallback[] {
    return this.#received;
  }

  url(path = '/callback'): string {
    return `http://${HOST}:${this.port}${path}`;
  }

  at(path: string): readonly ReceivedCallback[] {
    return this.#received.filter((callback) => callback.path.split('?')[0] === path);
  }

  /** `tryNumber` counts the attempts at one path, from 1. */
  behave(behaviour: Behaviour | ((path: string, tryNumber: number) => Behaviour)): void {
    this.#behaviour = typeof behaviour === 'function' ? behaviour : () => behaviour;
  }

  async goDown(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async comeUp(): Promise<void> {
    this.#server.listen(this.port, HOST);
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    if (port !== this.port) throw new Error(`listens on ${port} instead of ${this.port}`);
  }

  stop(): Promise<void> {
    return this.goDown();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', method = '', headers } = request;
    const tryNumber = (this.#tries.get(path) ?? 0) + 1;
    this.#tries.set(path, tryNumber);
    const behaviour = this.#behaviour(path, tryNumber);
    const head = { path, method, headers, behaviour, webhookId: String(headers['webhook-id'] ?? ''), receivedAt: Date.now() };
    if (behaviour.kind === 'reset') {
      this.#received.push({ ...head, body: '' });
      request.socket.resetAndDestroy();
      return;
    }
    let body = '';
    try {
      for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
    } catch {
      return;
    }
    this.#received.push({ ...head, body });
    switch (behaviour.kind) {
      case 'hang':
        return;
      case 'slow':
        setTimeout(() => response.writeHead(200).end('ok'), behaviour.afterMs);
        return;
      case 'answer-lost':
        request.socket.destroy();
        return;
      case 'status':
        response.writeHead(behaviour.status, behaviour.headers).end('ok');
        return;
      default:
        unreachable(behaviour);
    }
  }
}
