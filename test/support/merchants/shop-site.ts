import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ShopVisit {
  readonly method: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

export const APP_ADDRESS = 'myshop://done';

export class ShopSite {
  readonly visits: ShopVisit[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '' } = request;
        const fields = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
        if (path !== '/favicon.ico') this.visits.push({ method, path, fields });
        if (path === '/app') return response.writeHead(302, { location: APP_ADDRESS }).end();
        return response
          .writeHead(200, { 'content-type': 'text/html;charset=utf-8' })
          .end('<!DOCTYPE html><title>The shop</title><h1>The shop</h1>');
      });
    });
  }

  static async open(): Promise<ShopSite> {
    const site = new ShopSite();
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
