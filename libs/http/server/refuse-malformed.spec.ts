import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import { eventually } from '@app/testing';
import { sendAnswer } from './http-reply';
import { LimitedExpressAdapter } from './limited-express.adapter';

const MALFORMED = 'POST /\u00e9 HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n';
const BODY = Buffer.alloc(8 * 1_048_576, 'x');
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

let adapter: LimitedExpressAdapter;
let server: Server;
const sockets: Socket[] = [];

const start = async (serve: (request: Request, response: Response) => void): Promise<void> => {
  adapter = new LimitedExpressAdapter();
  adapter.initHttpServer();
  server = adapter.getHttpServer();
  adapter.getInstance<Express>().all('/', serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
};
const ok = (response: Response): void => sendAnswer(response, { status: 200, contentType: 'text/plain', body: 'ok' });

interface Talk {
  readonly socket: Socket;
  readonly received: () => string;
  readonly errors: string[];
}

const talk = async (): Promise<Talk> => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  const errors: string[] = [];
  socket.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code ?? error.message));
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  return { socket, received: () => text, errors };
};
const connections = (): Promise<number> => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await adapter.close();
});

it('returns a 400 without a connection reset to a sender that is still writing', async () => {
  await start((_request, response) => ok(response));
  const { socket, received, errors } = await talk();
  // Many clients read only after they finish writing.
  socket.pause();
  socket.write(MALFORMED, 'latin1');
  await new Promise<void>((resolve) => socket.write(BODY, () => resolve()));
  socket.resume();
  await eventually(() => received() !== '');
  expect([received(), errors]).toStrictEqual([BAD_REQUEST, []]);
});

it('does not send the 400 before the response to an earlier valid request', async () => {
  let answer = (): void => undefined;
  await start((_request, response) => {
    answer = () => ok(response);
  });
  const { socket, received } = await talk();
  socket.write(`${GET}NO REQUEST AT ALL\r\n\r\n`);
  const isServed = await new Promise((resolve) => server.once('request', () => setImmediate(() => resolve(true))));
  expect([isServed, received()]).toStrictEqual([true, '']);
  answer();
  await eventually(() => received().includes(BAD_REQUEST));
  expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nokHTTP\/1\.1 400 Bad Request\r\n/);
});

it('answers 400 to a request with a malformed body', async () => {
  await start((request) => void request.resume());
  const { socket, received } = await talk();
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n');
  await eventually(() => received() !== '');
  expect(received()).toBe(BAD_REQUEST);
});

it('closes the connection without a response if a malformed body follows an open request', async () => {
  await start((request) => void request.resume());
  const { socket, received } = await talk();
  socket.write(`${GET}POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n`);
  await eventually(() => socket.destroyed);
  expect(received()).toBe('');
});

it('closes the connection two seconds after the 400 if the sender keeps it open', async () => {
  await start((_request, response) => ok(response));
  const { socket, received } = await talk();
  socket.allowHalfOpen = true;
  socket.write(MALFORMED, 'latin1');
  await eventually(() => received() === BAD_REQUEST);
  expect(await connections()).toBe(1);
  await eventually(async () => (await connections()) === 0);
});

it('answers 431 to headers that are too long', async () => {
  await start((_request, response) => ok(response));
  const { socket, received } = await talk();
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}`);
  await eventually(() => received() !== '');
  expect(received()).toBe('HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n');
});

it.each([
  ['of no version', 'POST /\r\nHost: x\r\n\r\n'],
  ['with an empty coding', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n\r\n'],
])('refuses a request %s without serving any request after it', async (_what, text) => {
  let served = 0;
  await start((_request, response) => {
    served++;
    ok(response);
  });
  const { socket, received } = await talk();
  socket.write(`${text}${GET}`);
  await eventually(() => socket.destroyed);
  expect([served, received().match(/^HTTP\/1\.1 \d+/gm)]).toStrictEqual([0, ['HTTP/1.1 400']]);
});
