import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Express } from 'express';
import { eventually, stopwatch } from '@app/testing';
import { LimitedExpressAdapter } from './limited-express.adapter';
import { bodyReader, type ReadBody } from './read-body';

const LIMIT_MS = 400;
/** The interval of Node's check for late requests. */
const CHECK_MS = 1_000;
const DRIP_MS = 20;

const readBody = bodyReader(1_048_576);

const serverOf = (adapter: LimitedExpressAdapter): Server => {
  adapter.initHttpServer();
  return adapter.getHttpServer();
};

describe('a server with connection limits (safety, T28 and T29)', () => {
  it('allows 30 s for a request and 10 s for its headers', () => {
    const { requestTimeout, headersTimeout } = serverOf(new LimitedExpressAdapter());
    expect({ requestTimeout, headersTimeout }).toStrictEqual({ requestTimeout: 30_000, headersTimeout: 10_000 });
  });

  it('aborts an endless slow body at the request timeout and ends its reader', async () => {
    const adapter = new LimitedExpressAdapter({ requestTimeoutMs: LIMIT_MS });
    const server = serverOf(adapter);
    const read: ReadBody['kind'][] = [];
    adapter.getInstance<Express>().post('/', (request) => void readBody(request, ({ kind }) => Promise.resolve(read.push(kind))));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n');
    const sentAt = performance.now();
    const since = stopwatch();
    const dripping = setInterval(() => socket.write('a'), DRIP_MS);
    await closed;
    clearInterval(dripping);
    const openMs = performance.now() - sentAt;
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    expect(openMs).toBeGreaterThanOrEqual(LIMIT_MS - DRIP_MS);
    expect(since.stop()).toBeLessThan(LIMIT_MS + 3 * CHECK_MS);
    await eventually(() => read.length > 0);
    expect(read).toStrictEqual(['aborted']);
    await adapter.close();
  });

  it('closes within its time limit even if a request is still open (safety, F39)', async () => {
    const adapter = new LimitedExpressAdapter({ closeMs: LIMIT_MS });
    const server = serverOf(adapter);
    adapter.getInstance<Express>().use(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    const asked = new Promise((resolve) => server.once('request', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await asked;
    const startedAt = performance.now();
    const since = stopwatch();
    await adapter.close();
    const closeMs = performance.now() - startedAt;
    expect(closeMs).toBeGreaterThanOrEqual(LIMIT_MS - DRIP_MS);
    expect(since.stop()).toBeLessThan(LIMIT_MS + 3 * CHECK_MS);
    await closed;
  });

  it.each([
    ['/a?b=%ff', '/a?b=%ff'],
    ['http://elsewhere.example/a?b', '/a?b'],
    ['HTTPS://elsewhere.example:1/a//b', '/a//b'],
    // Authorities that URL parsers reject, warn about or misread.
    ['http://a@b:c/a', '/a'],
    ['http://[x/a', '/a'],
    ['http://', '/'],
    ['http://a?b=http://c/d', '/?b=http://c/d'],
  ])('routes a request by the path of its target and ignores scheme and authority: %s', async (target, url) => {
    expect(await answerTo(target)).toMatch(new RegExp(`\r\n\r\nserved ${url.replace(/[?.]/g, '\\$&')}$`));
  });

  it.each(['*', 'x://a@b:c/a', 'ftp://a/a'])('answers 404 for a target without a path: %s', async (target) => {
    const answer = await answerTo(target);
    expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(answer).toMatch(/\r\nContent-Type: text\/plain;charset=utf-8\r\n/);
    expect(answer).toMatch(/\r\nCache-Control: no-store\r\n/);
    expect(answer).toMatch(/\r\n\r\nNot Found\n$/);
  });
});

const answerTo = async (target: string): Promise<string> => {
  const adapter = new LimitedExpressAdapter();
  const server = serverOf(adapter);
  adapter.getInstance<Express>().use((request, response) => void response.end(`served ${request.url}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await closed;
  await adapter.close();
  return received;
};
