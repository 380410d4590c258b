import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { INestApplication } from '@nestjs/common';
import { openOperatorPort } from '../testing/operator-port';
import { ConsoleFiles } from './console.controller';

const PAGE = '<!doctype html><title>Console</title>';
const SCRIPT = 'console.log(1);';
const STYLE = ':root{}';

let folder: string;
let app: INestApplication | undefined;
let port: number;
let refusals: string[];
const start = async (): Promise<void> => {
  refusals = [];
  const parts = new Map<unknown, unknown>([[ConsoleFiles, new ConsoleFiles(folder)]]);
  ({ app, port } = await openOperatorPort(parts, { refused: (cause) => refusals.push(cause) }));
};
const build = (): void => {
  mkdirSync(join(folder, 'assets'));
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text));
  };
  write('index.html', PAGE);
  write('assets/main-ABC.js', SCRIPT);
  writeFileSync(join(folder, 'assets/main-ABC.css'), STYLE);
  writeFileSync(join(folder, 'assets/main-ABC.js.LEGAL.txt'), 'a licence');
  writeFileSync(join(folder, 'secret.js'), 'outside');
};
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'console-'))));
afterEach(async () => {
  await app?.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
/** Sends the path as it is: other clients resolve `..`, and decompress the answer. */
const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }));
    });
    sent.on('error', reject);
    sent.end();
  });

it('answers 404 that says what to do if the console is not built', async () => {
  await start();
  for (const path of ['/console', '/console/orders/1']) {
    const { status, body } = await ask(path);
    expect([status, JSON.parse(body.toString())]).toStrictEqual([404, { error: 'the console is not built: npm run build' }]);
  }
});

describe('the built console', () => {
  beforeEach(() => {
    build();
    return start();
  });

  it.each(['/console', '/console/', '/console/orders/12?at=7&tab=proof', '/console/streams/payment-a.b/x.js', '/console/%2e%2e/secret.js'])(
    '%s answers the page without a session, never stored, framed or sniffed',
    async (path) => {
      const { status, headers, body } = await ask(path);
      expect([status, body.toString()]).toStrictEqual([200, PAGE]);
      expect(headers).toMatchObject({
        'content-type': 'text/html;charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers).not.toHaveProperty('set-cookie');
      expect(headers).not.toHaveProperty('content-encoding');
    },
  );

  it('answers a hashed file that a browser keeps for a year', async () => {
    const { status, headers, body } = await ask('/console/assets/main-ABC.css', { 'accept-encoding': 'br, gzip' });
    expect([status, body.toString()]).toStrictEqual([200, STYLE]);
    expect(headers).toMatchObject({
      'content-type': 'text/css;charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliCompressSync(SCRIPT)],
    ['gzip;q=1.0, BR;q=0', 'gzip', gzipSync(SCRIPT)],
    ['br;q=0.000, gzip;q=0', undefined, Buffer.from(SCRIPT)],
    ['brotli', undefined, Buffer.from(SCRIPT)],
    ['', undefined, Buffer.from(SCRIPT)],
  ])('for Accept-Encoding %j sends %j', async (accepted, encoding, bytes) => {
    const { headers, body } = await ask('/console/assets/main-ABC.js', { 'accept-encoding': accepted });
    expect([headers['content-encoding'], headers.vary, body]).toStrictEqual([encoding, 'Accept-Encoding', bytes]);
    expect(headers['content-length']).toBe(String(bytes.length));
  });

  it('answers HEAD with the headers of GET', async () => {
    for (const path of ['/console/orders', '/console/assets/main-ABC.js']) {
      const [got, asked] = [await ask(path), await ask(path, {}, 'HEAD')];
      expect([asked.status, asked.body.length]).toStrictEqual([200, 0]);
      expect({ ...asked.headers, date: '' }).toStrictEqual({ ...got.headers, date: '' });
    }
  });

  it.each([
    'unknown.js',
    'main-ABC.js.br',
    'main-ABC.js.LEGAL.txt',
    '..%2fsecret.js',
    '%2e%2e%2fsecret.js',
    '..%5csecret.js',
    '%00',
    '%ff',
    '__proto__',
  ])('answers 404 for the asset %s', async (name) => {
    expect((await ask(`/console/assets/${name}`)).status).toBe(404);
  });

  it.each(['/console/../secret.js', '/console/assets/../../secret.js', '//console/secret.js', '/consoles'])(
    'never answers a file outside for %s',
    async (path) => expect((await ask(path)).body.toString()).not.toBe('outside'),
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('answers 405 to %s', async (method) => {
    for (const path of ['/console', '/console/orders', '/console/assets/main-ABC.js']) {
      const { status, headers } = await ask(path, {}, method);
      expect([path, status, headers.allow]).toStrictEqual([path, 405, 'GET']);
    }
  });

  it('opens from a link in a page of another site, but not into a frame or a script of it', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect((await ask('/console/orders/12', link)).status).toBe(200);
    expect(refusals).toStrictEqual([]);
    for (const [path, headers] of [
      ['/console', { ...link, 'sec-fetch-dest': 'iframe' }],
      ['/console', { ...link, origin: 'https://other.example' }],
      ['/console/assets/main-ABC.js', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
      ['/consoles', link],
      ['/session', link],
      ['/console', { host: 'rebound.example' }],
    ] as const)
      expect([path, headers, (await ask(path, headers)).status]).toStrictEqual([path, headers, 403]);
    expect(refusals).toHaveLength(6);
  });
});
