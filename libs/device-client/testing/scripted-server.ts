import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Calls with the same method and path, counted from 1. */
  readonly count: number;
}

export type Reply =
  | { readonly json: unknown; readonly status?: number }
  | { readonly text: string; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | 'cut'
  /** Sends the head and half of the body, then closes the connection. */
  | 'half'
  | 'silent';

const OK = 200;
const NOT_FOUND = 404;
const LOOPBACK = '127.0.0.1';

export class ScriptedServer {
  readonly received: ReceivedCall[] = [];
  readonly #server: Server;
  readonly #answer: (call: ReceivedCall) => Reply | undefined;

  private constructor(answer: (call: ReceivedCall) => Reply | undefined) {
    this.#answer = answer;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** `undefined` answers 404 with an HTML page. */
  static open(answer: (call: ReceivedCall) => Reply | undefined): Promise<ScriptedServer> {
    const server = new ScriptedServer(answer);
    return new Promise((resolve) => server.#server.listen(0, LOOPBACK, () => resolve(server)));
  }

  get url(): string {
    return `http://${LOOPBACK}:${(this.#server.address() as AddressInfo).port}`;
  }

  receivedAt(path: string): readonly ReceivedCall[] {
    return this.received.filter((call) => call.path === path);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://scripted.invalid');
    const method = request.method ?? '';
    const before = this.received.filter((call) => call.method === method && call.path === pathname).length;
    const call: ReceivedCall = {
      method,
      path: pathname,
      query: searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
      count: before + 1,
    };
    this.received.push(call);
    const reply = this.#answer(call) ?? { text: '<html>Not found</html>', status: NOT_FOUND };
    if (reply === 'silent') return;
    if (reply === 'cut') return void request.socket.destroy();
    if (reply === 'half') {
      response.writeHead(OK, { 'content-type': 'application/json', 'content-length': '1000' });
      return void response.write('{"invoiceId":', () => request.socket.destroy());
    }
    const { status = OK } = reply;
    if ('text' in reply) response.writeHead(status, { 'content-type': 'text/html', ...reply.headers }).end(reply.text);
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.json));
  }
}
