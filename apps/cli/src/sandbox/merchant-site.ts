import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { messagePage, type ControlKey } from '@app/gateway-protocol';
import { bodyReader } from '@app/http/server';
import { isControlOf, jsonMembers } from '../verbs/listen';
import { poll } from './programs';

interface ReceivedCallback {
  readonly webhookId: string;
  readonly body: string;
  readonly members: ReadonlyMap<string, string>;
  /** True if the checksum uses this merchant's key, which proves the sender. */
  readonly isAuthentic: boolean;
}

const readBody = bodyReader(1_048_576);
const HOST = '127.0.0.1';
const KEPT_MAX = 1_000;
const CALLBACK_WAIT_MS = 20_000;
const SHOWN_PATH = '/callbacks/';

/** The merchant's site in the tour: receives and shows callbacks, and is the payer's return address. */
export class MerchantSite {
  readonly #server: Server;
  readonly #key: ControlKey;
  readonly #received: ReceivedCallback[] = [];
  #onCallback: (callback: ReceivedCallback) => void = () => undefined;

  private constructor(key: ControlKey) {
    this.#key = key;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static open(port: number, key: ControlKey): Promise<MerchantSite> {
    const site = new MerchantSite(key);
    return new Promise((resolve, reject) => {
      site.#server.once('error', reject);
      site.#server.listen(port, HOST, () => resolve(site));
    });
  }

  callbackOf(orderId: string, timeoutMs: number): Promise<ReceivedCallback | undefined> {
    return poll(timeoutMs, async () => {
      if (!this.#server.listening) throw new Error('the merchant’s site is closed');
      return this.#received.find(({ members }) => members.get('orderid') === orderId);
    });
  }

  onCallback(listener: (callback: ReceivedCallback) => void): void {
    this.#onCallback = listener;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, (read) =>
      Promise.resolve(read.kind === 'read' ? Buffer.from(read.body).toString('utf8') : undefined),
    );
    const path = (request.url ?? '').split('?')[0];
    if (request.method === 'POST' && path === '/callback') {
      response.writeHead(body !== undefined && this.#receive(request, body) ? 200 : 400).end();
    } else if (request.method === 'GET' && path?.startsWith(SHOWN_PATH) === true) {
      const callback = await this.callbackOf(path.slice(SHOWN_PATH.length), CALLBACK_WAIT_MS).catch(() => undefined);
      if (callback === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'Content-Type': 'application/json', 'webhook-id': callback.webhookId }).end(callback.body);
    } else if (request.method === 'POST' && path === '/back') {
      response.writeHead(200, { 'Content-Type': 'text/html;charset=utf-8' });
      response.end(messagePage({ title: 'The shop', message: 'Thank you. The shop asks the gateway how the payment went.' }));
    } else response.writeHead(404).end();
  }

  #receive(request: IncomingMessage, body: string): boolean {
    const members = jsonMembers(body);
    if (members === undefined) return false;
    const isAuthentic = isControlOf(this.#key, members);
    const callback = { webhookId: String(request.headers['webhook-id'] ?? ''), body, members, isAuthentic };
    this.#received.push(callback);
    if (this.#received.length > KEPT_MAX) this.#received.shift();
    this.#onCallback(callback);
    return isAuthentic;
  }
}
