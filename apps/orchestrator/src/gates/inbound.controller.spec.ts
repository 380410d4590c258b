import 'reflect-metadata';
import { connect, type AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { VaultUnavailable } from '@app/card-vault';
import { OutcomeUnknown, StoreUnavailable, type StreamName } from '@app/event-store';
import type { InboundReply, InboundRequest } from '@app/gateway-adapters/contract';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/http/server';
import { HandleGateNotification, EarlyReportsFull, type NotifiedRequest } from '@app/orders';
import { GATE_NOTIFICATION_LISTENER } from '@app/orders/orders.tokens';
import { ATTEMPT_KEY } from '@app/testing';
import { encodePayerLink } from '@app/orders/http';
import { withGivenParts } from '../testing/given-parts';
import { InboundModule } from './inbound.module';

const STREAM = `payment-${'a'.repeat(52)}` as StreamName;
const LINK = encodePayerLink(STREAM, ATTEMPT_KEY);
const BODY_BYTES_MAX = 65_536;
const HEADERS = ['content-type', 'content-length', 'content-security-policy', 'x-content-type-options', 'cache-control', 'referrer-policy'];

interface InboundResult {
  readonly gate: string;
  readonly notified: NotifiedRequest | undefined;
  readonly request: InboundRequest;
}

describe('the inbound address of a gate', () => {
  let app: INestApplication;
  let answer: () => Promise<InboundReply | undefined>;
  const heard: InboundResult[] = [];
  const failures: unknown[] = [];
  const notifications = {
    listens: (gate: string) => gate === 'upstream-a',
    hear: ({ gate, notified, request }: InboundResult) => {
      heard.push({ gate, notified, request });
      return answer();
    },
    stop: () => Promise.resolve(),
  };

  beforeAll(async () => {
    const listener = {
      heard: () => undefined,
      neverKnown: () => undefined,
      notificationFailed: (_gate: string, error: unknown) => failures.push(error),
    };
    const module = await withGivenParts(
      [InboundModule],
      [
        [HandleGateNotification, notifications],
        [GATE_NOTIFICATION_LISTENER, listener],
      ],
    ).compile();
    app = module.createNestApplication(new LimitedExpressAdapter(), { bodyParser: false, logger: false });
    app.useGlobalFilters(new PlainExceptionFilter(new ServiceLog('silent')));
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());
  beforeEach(() => {
    heard.length = 0;
    failures.length = 0;
    answer = () => Promise.resolve({ status: 200, contentType: 'application/json', body: '{"ok":true}' });
  });

  const port = (): number => ((app.getHttpServer() as ReturnType<typeof createServer>).address() as AddressInfo).port;
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${port()}${path}`, init);
    const headers = Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)]));
    return { status: response.status, headers, body: await response.text() };
  };
  const post = (body: string | Uint8Array, type = 'application/json', path = `/gates/upstream-a/${LINK}`) =>
    ask(path, { method: 'POST', body, headers: { 'content-type': type } });

  it("passes a POST and the request named in its path to the adapter unchanged and returns the adapter's reply", async () => {
    const body = '{"status":"approved","holder":"Jürgen"}';
    const {
      status,
      headers,
      body: told,
    } = await ask(`/gates/upstream-a/${LINK}/later?b=2&a=1%20x`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'Application/JSON; charset=UTF-8', 'Webhook-Id': 'one' },
    });
    expect({ status, told }).toEqual({ status: 200, told: '{"ok":true}' });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    expect(heard).toMatchObject([
      {
        gate: 'upstream-a',
        notified: { stream: STREAM, key: ATTEMPT_KEY },
        request: { method: 'POST', about: ATTEMPT_KEY, path: ['later'], rawQuery: 'b=2&a=1%20x', contentType: 'application/json', body },
      },
    ]);
    expect([...(heard[0]?.request.query ?? [])]).toEqual([
      ['b', '2'],
      ['a', '1 x'],
    ]);
    expect(heard[0]?.request.headers.get('webhook-id')).toBe('one');
  });

  it('passes a GET to the adapter, including one whose path names no request of ours', async () => {
    await ask(`/gates/upstream-a/notifications/payments%2F1?status=approved`);
    await ask('/gates/upstream-a');
    expect(heard.map(({ notified, request: { method, path, about, body } }) => ({ notified, method, path, about, body }))).toEqual([
      { notified: undefined, method: 'GET', path: ['notifications', 'payments/1'], about: undefined, body: '' },
      { notified: undefined, method: 'GET', path: [], about: undefined, body: '' },
    ]);
  });

  it('returns the same 404 as any unknown path if no gate with this alias listens', async () => {
    const nowhere = await ask('/no/such/path');
    for (const path of [
      '/gates/unknown',
      `/gates/deaf/${LINK}`,
      '/gates',
      '/gates/',
      '/gates/%2e%2e',
      '/gates/%00/x',
      '/gates/__proto__/x',
    ]) {
      expect(await ask(path)).toEqual(nowhere);
      expect(await ask(path, { method: 'POST', body: '{}' })).toEqual(nowhere);
      expect(await ask(path, { method: 'DELETE' })).toEqual(nowhere);
    }
    expect(heard).toEqual([]);
    expect(nowhere.status).toBe(404);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('returns 405 for %s', async (method) => {
    expect((await ask(`/gates/upstream-a/${LINK}`, { method })).status).toBe(405);
    expect(heard).toEqual([]);
  });

  it('accepts a body of the maximum size and returns 413 above it', async () => {
    expect((await post('a'.repeat(BODY_BYTES_MAX))).status).toBe(200);
    const { status, body } = await post('a'.repeat(BODY_BYTES_MAX + 1));
    expect({ status, body }).toEqual({ status: 413, body: 'Payload Too Large\n' });
    expect(heard).toHaveLength(1);
  });

  it.each<[string, () => Promise<{ status: number }>, number]>([
    ['a parameter that comes twice', () => ask(`/gates/upstream-a/${LINK}?status=approved&status=declined`), 400],
    ['an invalid escape', () => ask(`/gates/upstream-a/${LINK}?status=%zz`), 400],
    ['an invalid escape in the path', () => ask(`/gates/upstream-a/${LINK}/%zz`), 400],
    ['too many parameters', () => ask(`/gates/upstream-a/${LINK}?${'a&'.repeat(1_001)}`), 400],
    ['too many segments', () => ask(`/gates/upstream-a/${'a/'.repeat(17)}`), 400],
    ['a body that is not UTF-8', () => post(Uint8Array.of(0x7b, 0xff, 0x7d)), 400],
    ['another charset', () => post('{}', 'application/json; charset=iso-8859-1'), 415],
    [
      'a compressed body',
      () => ask(`/gates/upstream-a/${LINK}`, { method: 'POST', body: 'x', headers: { 'content-encoding': 'gzip' } }),
      415,
    ],
  ])('rejects %s before it reaches the adapter', async (_, asking, status) => {
    expect((await asking()).status).toBe(status);
    expect(heard).toEqual([]);
  });

  it('passes both values of a duplicate header to the adapter', async () => {
    const lines = [
      `GET /gates/upstream-a/${LINK} HTTP/1.1`,
      'Host: gateway.example',
      'Webhook-Signature: v1,one',
      'Webhook-Signature: v1,two',
      'Connection: close',
    ];
    await new Promise<void>((resolve, reject) => {
      const socket = connect(port(), '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
      socket
        .on('error', reject)
        .on('close', () => resolve())
        .resume();
    });
    expect(heard[0]?.request.headers.get('webhook-signature')).toBe('v1,one, v1,two');
  });

  it.each([
    new StoreUnavailable('away: secret'),
    new OutcomeUnknown('secret'),
    new VaultUnavailable('secret'),
    new EarlyReportsFull('secret'),
  ])('returns 503 without a reason so that the gate sends the notification again: $name', async (away) => {
    answer = () => Promise.reject(away);
    const { status, body } = await post('{}');
    expect({ status, body }).toEqual({ status: 503, body: 'Service Unavailable\n' });
    expect(failures).toEqual([away]);
  });

  it('hides the details of an internal error', async () => {
    const fault = new Error('a secret of the adapter');
    answer = () => Promise.reject(fault);
    const { status, body } = await post('{}');
    expect({ status, body }).toEqual({ status: 500, body: 'Internal Server Error\n' });
    answer = () => Promise.resolve({ status: 99 });
    expect((await post('{}')).status).toBe(500);
    answer = () => Promise.resolve(undefined);
    expect((await post('{}')).status).toBe(404);
    expect(failures).toHaveLength(2);
  });

  it('returns an empty text body if the adapter sets only a status', async () => {
    answer = () => Promise.resolve({ status: 202 });
    expect(await post('{}')).toMatchObject({ status: 202, body: '', headers: { 'content-type': 'text/plain;charset=utf-8' } });
  });
});
