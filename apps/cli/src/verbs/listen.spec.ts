import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callbackBody, callbackQuery, webhookHeaders, type CallbackFacts } from '@app/gateway-protocol';
import { Secret, systemClock } from '@app/kernel';
import { listen } from './listen';
import { paintFor } from '../terminal';

const KEY = new Secret('ab'.repeat(16));
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const facts: CallbackFacts = { status: 'approved', orderid: 'p0sample0order1r', client_orderid: 'tour-1\u001b[2J', type: 'sale' };
const before = process.env['ORCH_CONFIG'];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orch-listen-'));
  process.env['ORCH_CONFIG'] = join(folder, 'shop.json');
  const endpoints = [{ id: '1', currency: 'USD', gates: ['sim'] }];
  const merchants = [{ login: 'acme', controlKey: KEY.reveal(), callback: { secret: SECRET }, endpoints }];
  const gates = [{ alias: 'sim', adapter: 'simulator', currencies: ['USD'] }];
  writeFileSync(join(folder, 'shop.json'), JSON.stringify({ merchants, gates }));
});
afterAll(() => {
  if (before === undefined) delete process.env['ORCH_CONFIG'];
  else process.env['ORCH_CONFIG'] = before;
  rmSync(folder, { recursive: true });
});

const started = async (isJson: boolean) => {
  const lines: string[] = [];
  let stop = (): void => undefined;
  const requested = new Promise<void>((resolve) => (stop = resolve));
  let reportListening = (): void => undefined;
  const listening = new Promise<void>((resolve) => (reportListening = resolve));
  const line = (text = ''): void => {
    lines.push(text);
    reportListening();
  };
  const ended = listen({ port: '0', host: '127.0.0.1' }, { paint: paintFor(false), isJson, line, problem: () => undefined }, { requested });
  await Promise.race([listening, ended]);
  const port = isJson ? (JSON.parse(lines[0] ?? '') as { port: number }).port : /:(\d+);/.exec(lines[0] ?? '')?.[1];
  const send = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return { lines, send, end: () => (stop(), ended) };
};

it("returns the status of a merchant's server and prints each callback with its verification result", async () => {
  const { lines, send, end } = await started(true);
  const body = callbackBody(facts, KEY);
  const query = callbackQuery(facts, KEY);
  const signed = (text: string) => ({ ...webhookHeaders('an-id', systemClock.now(), text, new Secret(SECRET)) });
  const statuses = [
    (await send('/callback', { method: 'POST', body, headers: signed(body) })).status,
    (await send(`/any?shop=7&${query}`, { headers: signed(query) })).status,
    (await send('/callback', { method: 'POST', body })).status,
    (await send('/callback', { method: 'POST', body: body.replace('approved', 'declined'), headers: signed(body) })).status,
    (await send('/callback', { method: 'POST', body: 'no callback' })).status,
    (await send('/callback', { method: 'PUT', body })).status,
    (await send('/callback', { method: 'POST', body: 'x'.repeat(70_000) })).status,
  ];
  expect(statuses).toStrictEqual([200, 200, 403, 403, 400, 400, 400]);
  await end();
  expect(lines.slice(1).map((line) => JSON.parse(line) as object)).toMatchObject([
    { kind: 'callback', method: 'POST', path: '/callback', webhookId: 'an-id', isGood: true, merchant: 'acme', signature: 'good' },
    { method: 'GET', path: '/any', isGood: true, members: { status: 'approved', orderid: 'p0sample0order1r' } },
    { isGood: false, merchant: 'acme', signature: 'wrong' },
    { isGood: false, merchant: null },
    { isGood: false, members: {} },
    { isGood: false },
    { isGood: false },
  ]);
});

it('prints one line per member and escapes control characters', async () => {
  const { lines, send, end } = await started(false);
  const body = callbackBody(facts, KEY);
  await send('/callback', { method: 'POST', body });
  await end();
  expect(lines[0]).toMatch(/^listening for callbacks of acme on http:\/\/127\.0\.0\.1:\d+; Ctrl-C stops it$/);
  expect(lines).toContain('  control is good, of acme; the webhook-signature is not: answered 403');
  expect(lines.join('\n')).toContain('client_orderid  tour-1\\u{1b}[2J');
});

it('fails with a message if the port is occupied', async () => {
  const other = createServer();
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  const { port } = other.address() as AddressInfo;
  const output = { paint: paintFor(false), isJson: false, line: () => undefined, problem: () => undefined };
  const taken = listen({ port: String(port), host: '127.0.0.1' }, output, { requested: Promise.resolve() });
  await expect(taken).rejects.toThrow(`port ${port} is taken (EADDRINUSE): --port takes another`);
  await new Promise((closed) => other.close(closed));
});
