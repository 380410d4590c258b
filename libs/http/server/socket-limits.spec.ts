import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import { eventually } from '@app/testing';
import { sendAnswer } from './http-reply';
import { LimitedExpressAdapter, type ServerLimits } from './limited-express.adapter';
import { IDLE_MS_MAX, OPEN_REQUESTS_MAX } from './socket-limits';

const IDLE_MS = 300;
/** Longer than any pause of this process. */
const SLOW_IDLE_MS = 1_000;
const KEEP_ALIVE_MS = 200;
/** More than the buffers of a socket and its peer hold. */
const LARGE = 'x'.repeat(16 * 1_048_576);
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let adapter: LimitedExpressAdapter;
let server: Server;
const sockets: Socket[] = [];

const start = async (serve: (request: Request, response: Response) => void, idleMs = IDLE_MS, limits: ServerLimits = {}): Promise<void> => {
  adapter = new LimitedExpressAdapter({ idleMs, keepAliveMs: KEEP_ALIVE_MS, ...limits });
  adapter.initHttpServer();
  server = adapter.getHttpServer();
  adapter.getInstance<Express>().all('/', serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
};

const opened = async (): Promise<Socket> => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
};

const connections = (): Promise<number> => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
const answersIn = (text: string): readonly string[] => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
const ok = (response: Response): void => sendAnswer(response, { status: 200, contentType: 'text/plain', body: 'ok' });

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await adapter.close();
});

describe('a socket without progress', () => {
  it('is closed after 30 s', () => {
    adapter = new LimitedExpressAdapter();
    adapter.initHttpServer();
    expect([(adapter.getHttpServer() as Server).timeout, IDLE_MS_MAX]).toStrictEqual([30_000, 30_000]);
  });

  it.each([
    ['before its first byte', ''],
    ['within a head', 'GET / HTTP/1.1\r\nHos'],
    ['within a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc'],
    ['with an answer that it does not read', GET],
    ['with the last answer of the connection, which it does not read', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('%s', async (_when, sent) => {
    await start((request, response) => {
      if (request.method === 'GET') sendAnswer(response, { status: 200, contentType: 'text/plain', body: LARGE });
    });
    const socket = await opened();
    socket.pause();
    socket.write(sent);
    expect(await connections()).toBe(1);
    await eventually(async () => (await connections()) === 0);
  });

  it('is kept open if the client reads its response slowly', async () => {
    await start((_request, response) => sendAnswer(response, { status: 200, contentType: 'text/plain', body: LARGE }), SLOW_IDLE_MS);
    const socket = await opened();
    const begunAt = performance.now();
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (performance.now() - begunAt > 2 * SLOW_IDLE_MS) return;
      socket.pause();
      setTimeout(() => socket.resume(), SLOW_IDLE_MS / 50);
    });
    socket.write(GET);
    await eventually(() => received > LARGE.length);
    expect(performance.now() - begunAt).toBeGreaterThan(2 * SLOW_IDLE_MS);
  });
});

describe('a request at the end of its keep-alive connection', () => {
  it.each([
    ['whole', GET, ''],
    ['with its end to come', GET.slice(0, -10), GET.slice(-10)],
  ])("is answered if it was sent before the server's timeout: %s", async (_how, before, after) => {
    await start((_request, response) => ok(response), 60_000);
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const socket = await opened();
    const atServer = await accepted;
    let received = '';
    let isClosed = false;
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.once('close', () => (isClosed = true));
    socket.write(GET);
    await eventually(() => answersIn(received).length === 1);
    // The bytes are received but unread when the timeout fires, since timers run before reads.
    socket.write(before);
    atServer.emit('timeout');
    socket.write(after);
    await eventually(() => isClosed || answersIn(received).length === 2);
    expect(answersIn(received)).toStrictEqual(['200', '200']);
  });

  it('is closed on timeout if nothing was sent', async () => {
    await start((_request, response) => ok(response), 60_000);
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const socket = await opened();
    socket.write(GET);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.once('data', () => void accepted.then((atServer) => atServer.emit('timeout')));
    await closed;
  });

  it('has a keep-alive time above the 60 s of common load balancers [W502]', () => {
    adapter = new LimitedExpressAdapter();
    adapter.initHttpServer();
    const { keepAliveTimeout, timeout } = adapter.getHttpServer() as Server;
    expect([keepAliveTimeout, timeout]).toStrictEqual([75_000, IDLE_MS_MAX]);
  });

  it('is answered even if its connection was idle for longer than the request timeout', async () => {
    const limits = { idleMs: 60_000, keepAliveMs: 60_000, requestTimeoutMs: 100 };
    await start((_request, response) => ok(response), 60_000, limits);
    const watched = await opened();
    const socket = await opened();
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.write(GET);
    await eventually(() => answersIn(received).length === 1);
    const isOver = new Promise((resolve) => watched.once('close', resolve));
    watched.resume().write(GET.slice(0, -2));
    await isOver;
    socket.write(GET);
    await eventually(() => answersIn(received).length === 2);
  });

  it('does not delay a stop, because idle connections are closed at once', async () => {
    await start((_request, response) => ok(response), 60_000, { keepAliveMs: 600_000 });
    const socket = await opened();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(GET);
    await new Promise((resolve) => socket.once('data', resolve));
    await adapter.close();
    await closed;
  });

  it("receives a Keep-Alive time shorter than the server's own", async () => {
    adapter = new LimitedExpressAdapter();
    adapter.initHttpServer();
    const { keepAliveTimeout } = adapter.getHttpServer() as Server;
    await start((_request, response) => ok(response));
    const socket = await opened();
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.write(GET);
    await eventually(() => received.includes('\r\n\r\n'));
    const [, seconds] = /Keep-Alive: timeout=(\d+)/.exec(received) ?? [];
    expect(received).toContain('Connection: keep-alive');
    expect(Number(seconds) * 2_000).toBeLessThanOrEqual(keepAliveTimeout);
  });
});

describe('pipelined requests', () => {
  it('are served up to sixteen at a time, and one more ends the connection', async () => {
    const waiting: Response[] = [];
    await start((_request, response) => void waiting.push(response), 60_000);
    const socket = await opened();
    let received = '';
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    socket.write(GET.repeat(3 * OPEN_REQUESTS_MAX));
    await eventually(() => waiting.length === OPEN_REQUESTS_MAX);
    for (const response of waiting) ok(response);
    await closed;
    expect(waiting).toHaveLength(OPEN_REQUESTS_MAX);
    expect(answersIn(received)).toStrictEqual([...Array.from({ length: OPEN_REQUESTS_MAX }, () => '200'), '503']);
  });

  it('are all served if the client waits for responses in between', async () => {
    await start((_request, response) => ok(response));
    const socket = await opened();
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    for (let round = 1; round <= 5; round++) {
      socket.write(GET.repeat(OPEN_REQUESTS_MAX));
      await eventually(() => answersIn(received).length === round * OPEN_REQUESTS_MAX);
    }
    expect(new Set(answersIn(received))).toStrictEqual(new Set(['200']));
  });
});
