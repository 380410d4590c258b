import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { noFailpoints, type MerchantLogin, type OrderId } from '@app/kernel';
import { VaultUnavailable } from '@app/card-vault';
import type { Configuration } from '@app/configuration';
import { PerformVerificationHandler } from '@app/device-verification';
import { OutcomeUnknown, StoreUnavailable, RequestDeadlines, type EventStore, type NewEvent, type StreamName } from '@app/event-store';
import { PerformErrorResponse, PerformSaleRequest, readDeviceBody, type PerformCause } from '@app/gateway-protocol';
import { BODY_BUDGET_BYTES, LimitedExpressAdapter, PlainExceptionFilter, processBodies, ServiceLog } from '@app/http/server';
import { eventually, seededRandom, settle, VirtualClock } from '@app/testing';
import { PerformTransferHandler } from '@app/transfer';
import { DeviceVerificationController } from '@app/device-verification/http/device-verification.controller';
import type { Admission, RequestPorts, ServedRequest } from '@app/http/request';
import { RATE_LIMIT, REQUEST_PORTS } from '@app/http/request/request.tokens';
import { CompleteTransferTranslation, TransferController } from '@app/transfer/http/transfer.controller';
import { failed, type DeviceAnswer, type Failed, type DeviceRequest, SessionVerifier, SignatureVerifier } from '@app/http/group-b';
import { StatusTranslation, PerformTranslation } from '@app/orders/http';

const deadlineClock = new VirtualClock();
const deadlines = new RequestDeadlines(deadlineClock, deadlineClock);

const SERIAL = '00000000-0000-0000-0000-000000000001';
const CARD_NUMBER = '4444333322221111';
const PATH = '/paynet/dapi/v1/sale/1001/inv-1';

const SALE = {
  consumer: { device: { serialNumber: 'SN-1' }, email: 'kim@example.com' },
  session: { accessToken: 'a'.repeat(64), nonce: 'n'.repeat(64), signature: 'S'.repeat(40) },
  transaction: { currency: 'USD', amountCentis: 1_042 },
  sourceOfFunds: {
    card: { number: CARD_NUMBER, expiry: { month: 12, year: 2030 }, holder: { printedName: 'KIM LEE' }, securityCode: '123' },
  },
};

const ORDER_ID = '1000000001' as OrderId;

interface Authenticated<Cause> {
  readonly kind: 'authenticated';
  readonly merchant: MerchantLogin;
  readonly operate: () => Promise<DeviceAnswer<Cause>>;
}
const answered: Authenticated<PerformCause> = {
  kind: 'authenticated',
  merchant: 'acme' as MerchantLogin,
  operate: () => Promise.resolve({ kind: 'answer', body: { invoiceId: 'inv-1', session: { token: 't' } }, orderId: ORDER_ID }),
};

let verify: (request: DeviceRequest<PerformSaleRequest>) => Promise<Authenticated<PerformCause> | Failed<PerformCause>>;
let admission: Admission;
let nextSerial: () => string;
const received: Omit<DeviceRequest<PerformSaleRequest>, 'operation'>[] = [];
const served: ServedRequest[] = [];
const errors: unknown[] = [];

const authenticator = {
  verify: ({ operation, ...request }: DeviceRequest<PerformSaleRequest>) => {
    received.push(request);
    return verify({ operation, ...request });
  },
};
const operate = (request: Authenticated<PerformCause>) => request.operate();

/** Shared by both applications, so that they never draw the same error code. */
const random = seededRandom();

class DeviceApiTestModule {}
const listen = async (prefix: string, httpErrors: Configuration['groupB']['httpErrors']): Promise<INestApplication> => {
  const ports: RequestPorts = {
    serials: { next: () => nextSerial() },
    clock: new VirtualClock(),
    random,
    failpoints: noFailpoints,
    deadlines,
    configuration: { groupB: { httpErrors } },
    listener: {
      served: (request) => served.push(request),
      failed: (_serial, error) => errors.push(error),
    },
  };
  const providers = [
    { provide: REQUEST_PORTS, useValue: ports },
    { provide: SignatureVerifier, useValue: authenticator },
    { provide: SessionVerifier, useValue: authenticator },
    { provide: RATE_LIMIT, useValue: { admit: () => Promise.resolve(admission) } },
    { provide: PerformTransferHandler, useValue: {} },
    { provide: PerformVerificationHandler, useValue: {} },
    { provide: PerformTranslation, useValue: { perform: operate } },
    { provide: StatusTranslation, useValue: { answer: operate } },
    { provide: CompleteTransferTranslation, useValue: { answer: operate } },
  ];
  const controllers = [DeviceVerificationController, TransferController];
  const module = { module: DeviceApiTestModule, controllers, providers };
  const app = await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: false, abortOnError: false });
  app.useGlobalFilters(new PlainExceptionFilter(new ServiceLog('silent')));
  app.setGlobalPrefix(prefix);
  await app.listen(0, '127.0.0.1');
  return app;
};

const apps = new Map<string, INestApplication>();
beforeAll(async () => {
  apps.set('paynet', await listen('paynet', 'always-200'));
  apps.set('codes', await listen('codes', 'status-codes'));
});
afterAll(() => Promise.all([...apps.values()].map((app) => app.close())));
beforeEach(() => {
  verify = () => Promise.resolve(answered);
  admission = { kind: 'admitted' };
  nextSerial = () => SERIAL;
  for (const list of [received, served, errors]) list.length = 0;
});

const send = async (body: string | object, path = PATH, init: RequestInit = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const server = apps.get(path.split('/')[1] ?? '')?.getHttpServer() as Server;
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const response = await fetch(address, { method: 'POST', body: text, ...init });
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
};

const refusal = ({ text }: { readonly text: string }) => {
  const read = readDeviceBody(PerformErrorResponse, Buffer.from(text));
  if ('refused' in read) throw new Error(`${read.refused.message}: ${text}`);
  return read.ok;
};
const without = (name: keyof typeof SALE): object => Object.fromEntries(Object.entries(SALE).filter(([key]) => key !== name));

describe('an invalid device request (decisions, section 8) [W369-371, W404]', () => {
  const deep = `{"a":${'['.repeat(10)}${']'.repeat(10)}}`;
  const rows: readonly (readonly [what: string, body: string | object, messagePart: string, path?: string])[] = [
    ['a missing member', without('consumer'), 'consumer'],
    ['consumer.email too short', { ...SALE, consumer: { device: { serialNumber: 'SN-1' }, email: 'ab' } }, 'consumer.email'],
    ['a broken constraint', { ...SALE, transaction: { currency: 'usd', amountCentis: 1 } }, 'transaction.currency'],
    ['an amount of zero', { ...SALE, transaction: { currency: 'USD', amountCentis: 0 } }, 'transaction.amountCentis'],
    ['card and reference both', { ...SALE, sourceOfFunds: { ...SALE.sourceOfFunds, reference: { clientCardId: 'c' } } }, 'sourceOfFunds'],
    ['NUL in a text', { ...SALE, order: { description: 'a\0b' } }, 'order.description'],
    ['unparseable JSON', '{"a":', 'JSON'],
    ['no body', '', 'JSON'],
    ['a list', '[]', 'body'],
    ['a duplicate key', '{"a":1,"a":2}', 'key twice'],
    ['__proto__', '{"__proto__":{"a":1}}', 'reserved'],
    ['depth over 10', deep, 'deeper than 10'],
    ['an integer beyond 2^53', '{"a":9007199254740993}', '2^53'],
    ['a lone surrogate', '{"a":"\\ud800"}', 'Unicode'],
    ['the card number in a text', { ...SALE, order: { purpose: `x ${CARD_NUMBER}` } }, 'order.purpose'],
    ['the card number as the invoice', SALE, 'invoiceId', `/paynet/dapi/v1/sale/1001/${CARD_NUMBER}`],
    ['an invoice that is no segment', SALE, 'invoiceId', '/paynet/dapi/v1/sale/1001/%0A'],
    ['an invoice with a malformed escape', SALE, 'invoiceId', '/paynet/dapi/v1/sale/1001/%zz'],
    ['an invoice over 128 characters', SALE, 'invoiceId', `/paynet/dapi/v1/sale/1001/${'x'.repeat(129)}`],
  ];
  it.each(rows.map(([what, body, messagePart, path]) => ({ what, body, messagePart, path })))(
    '$what returns INVALID_REQUEST before authentication',
    async ({ body, messagePart, path }) => {
      const answer = await send(body, path);
      const { error, invoiceId } = refusal(answer);
      expect([answer.status, error.cause]).toStrictEqual([200, 'INVALID_REQUEST']);
      expect(error.message).toContain(messagePart);
      expect(error.message).not.toContain(CARD_NUMBER);
      expect(error.code).toMatch(/^\d{16}$/);
      expect(invoiceId).toBe(path === undefined ? 'inv-1' : undefined);
      expect([received, served]).toMatchObject([
        [],
        [{ operation: 'perform-sale', serial: SERIAL, errorCode: error.code, merchant: undefined }],
      ]);
    },
  );

  it('a compressed body is rejected before it is parsed', async () => {
    const answer = await send(SALE, PATH, { headers: { 'content-encoding': 'gzip' } });
    expect(refusal(answer).error.message).toContain('Content-Encoding');
  });
});

describe('a well-formed request', () => {
  it('reaches its operation with only the known members [W389]', async () => {
    const { status, headers, text } = await send({ ...SALE, extra: 1, consumer: { ...SALE.consumer, extra: { a: 1 } } });
    expect([status, headers.get('content-type'), text]).toStrictEqual([
      200,
      'application/json;charset=utf-8',
      '{"invoiceId":"inv-1","session":{"token":"t"}}',
    ]);
    expect(received).toHaveLength(1);
    const [{ message, ...request } = { message: undefined }] = received;
    expect(request).toMatchObject({ path: { endpointId: '1001', invoiceId: 'inv-1' }, serial: SERIAL });
    expect(message).toBeInstanceOf(PerformSaleRequest);
    expect(message).not.toHaveProperty('extra');
    expect(message?.consumer).not.toHaveProperty('extra');
    expect(served).toMatchObject([{ outcome: 'answered', merchant: 'acme', entryPoint: '1001', orderId: ORDER_ID, errorCode: undefined }]);
  });

  it('may have an invoice id with escaped characters and a body of 256 KiB', async () => {
    const padded = JSON.stringify({ ...SALE, padding: '' });
    const whole = padded.replace('"padding":""', `"padding":"${'x'.repeat(262_144 - padded.length)}"`);
    expect(whole).toHaveLength(262_144);
    await send(whole, '/paynet/dapi/v1/sale/1001/inv%2F1%20%C3%A9');
    expect(received).toMatchObject([{ path: { invoiceId: 'inv/1 é' } }]);
  });

  it.each([
    ['/paynet/dapi/v1/transfer/1001/inv-1/sim-a', { assignedId: 'sim-a' }],
    ['/paynet/dapi/v1/transfer/1001/inv-1/status', {}],
    ['/paynet/dapi/v1/verification/1001/inv-1/status', {}],
  ])('%s reaches its operation [W68-74, W187]', async (path, assigned) => {
    await send({ ...SALE, session: { ...SALE.session, token: 't'.repeat(36) } }, path);
    expect(received.map((request) => request.path)).toStrictEqual([{ endpointId: '1001', invoiceId: 'inv-1', ...assigned }]);
  });

  it.each([
    '/paynet/dapi/v1/sale/1001/inv-1/sim-a',
    '/paynet/dapi/v1/refund/1001/inv-1',
    '/paynet/dapi/v1/s%61le/1001/inv-1',
    '/paynet/dapi/v1/constructor/1001/inv-1',
  ])('%s returns 404 because it is not the path of an operation', async (path) => {
    expect(await send(SALE, path)).toMatchObject({ status: 404, text: 'Not Found\n' });
    expect(received).toStrictEqual([]);
  });
});

describe('a wrong method or an oversized body returns INVALID_REQUEST (decisions, section 8) [W390]', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s returns 405 and the allowed method', async (method) => {
    const answer = await send('', PATH, { method, ...(method === 'GET' && { body: null }) });
    expect([answer.status, answer.headers.get('allow')]).toStrictEqual([405, 'POST']);
    const { error, invoiceId } = refusal(answer);
    expect([error.cause, invoiceId]).toStrictEqual(['INVALID_REQUEST', 'inv-1']);
    expect(served).toMatchObject([{ outcome: 'method-not-allowed', errorCode: error.code }]);
  });

  it('a body one byte above the limit returns 413', async () => {
    const answer = await send('x'.repeat(262_145));
    expect(answer.status).toBe(413);
    expect(refusal(answer).error.cause).toBe('INVALID_REQUEST');
    expect(received).toStrictEqual([]);
  });
});

describe('an internal failure returns INTERNAL_ERROR (decisions, section 8)', () => {
  const failing = (error: Error): Authenticated<PerformCause> => ({ ...answered, operate: () => Promise.reject(error) });

  it.each<[string, Error, string]>([
    ['the log', new StoreUnavailable('a secret'), 'temporarily-unavailable'],
    ['the vault', new VaultUnavailable('a secret'), 'temporarily-unavailable'],
    ['an answer of the log was lost', new OutcomeUnknown('a secret'), 'acceptance-unknown'],
    ['a bug', new Error('a secret'), 'internal'],
  ])('if the cause is %s, before and after authentication [W159, W380]', async (_what, error, outcome) => {
    for (const next of [() => Promise.reject(error), () => Promise.resolve(failing(error))]) {
      verify = next;
      const answer = await send(SALE);
      expect([answer.status, refusal(answer).error.cause]).toStrictEqual([200, 'INTERNAL_ERROR']);
      expect(answer.text).not.toContain('secret');
    }
    expect(errors).toStrictEqual([error, error]);
    expect(served.map((request) => request.outcome)).toStrictEqual([outcome, outcome]);
  });

  it('if no serial-number can be assigned [W380]', async () => {
    nextSerial = () => {
      throw new StoreUnavailable('away');
    };
    expect(refusal(await send(SALE)).error.cause).toBe('INTERNAL_ERROR');
    expect(received).toStrictEqual([]);
  });
});

describe('the deadline of a request', () => {
  const never = <Answer>(): Promise<Answer> => new Promise(() => undefined);
  const log = deadlines.guarding({ append: never } as unknown as EventStore);
  const event = { metadata: `{"actor":"acme","causation":"${SERIAL}"}` } as NewEvent;
  const append = () => log.append('a-b' as StreamName, 'no_stream', [event]);

  it.each<[string, string, () => void]>([
    ['temporarily-unavailable', 'nothing of it was sent to the log: during authentication', () => (verify = never)],
    ['temporarily-unavailable', 'nothing of it was sent to the log: in its operation', () => (verify = () => Promise.resolve({ ...answered, operate: () => never<DeviceAnswer<PerformCause>>() }))], // prettier-ignore
    ['acceptance-unknown', 'an append of it is in flight: during authentication', () => (verify = () => append().then(() => never()))],
    ['acceptance-unknown', 'an append of it is in flight: in its operation', () => (verify = () => Promise.resolve({ ...answered, operate: () => append().then(() => never<DeviceAnswer<PerformCause>>()) }))], // prettier-ignore
  ])('returns INTERNAL_ERROR within ten seconds: %s if %s', async (outcome, _what, stall) => {
    stall();
    const answering = send(SALE);
    await eventually(() => received.length === 1);
    await settle();
    await deadlineClock.advance(9_999);
    const answer = await answering;
    expect([answer.status, refusal(answer).error.cause]).toStrictEqual([200, 'INTERNAL_ERROR']);
    expect(served.map((request) => request.outcome)).toStrictEqual([outcome]);
    expect(errors).toHaveLength(1);
    // After its deadline the request appends nothing more.
    await expect(append()).rejects.toThrow(StoreUnavailable);
  });
});

describe('the request rate of a merchant (safety, T35)', () => {
  it('returns INTERNAL_ERROR with Retry-After above the limit and does not count unauthenticated requests', async () => {
    admission = { kind: 'limited', retryAfterMs: 1_001 };
    const answer = await send(SALE);
    expect([refusal(answer).error.cause, answer.headers.get('retry-after')]).toStrictEqual(['INTERNAL_ERROR', '2']);
    verify = () => Promise.resolve(failed('not-authentic', 'INVALID_REQUEST', 'no'));
    expect(refusal(await send(SALE)).error.cause).toBe('INVALID_REQUEST');
    expect(served.map(({ outcome, merchant }) => [outcome, merchant])).toStrictEqual([
      ['rate-limited', 'acme'],
      ['not-authentic', undefined],
    ]);
  });
});

describe('HTTP status codes (decisions, section 8)', () => {
  it.each<[PerformCause, number]>([
    ['INVALID_REQUEST', 400],
    ['PROCESSING_FAILED', 422],
    ['INVALID_CONFIGURATION', 500],
    ['INTERNAL_ERROR', 500],
  ])(
    '%s has status 200 by default and %i with status codes enabled, with the same body except the error code [W421]',
    async (cause, status) => {
      verify = () => Promise.resolve(failed('internal', cause, 'x'));
      const [always, coded] = [await send(SALE), await send(SALE, PATH.replace('/paynet', '/codes'))];
      expect([always.status, coded.status]).toStrictEqual([200, status]);
      const [one, other] = [refusal(always), refusal(coded)];
      expect({ ...other, error: { ...other.error, code: '' } }).toStrictEqual({ ...one, error: { ...one.error, code: '' } });
      expect(one.error.code).not.toBe(other.error.code);
    },
  );
});

describe('a body read before authentication', () => {
  it('returns 413 above 8 KiB for a status request', async () => {
    const answer = await send('x'.repeat(8_193), '/paynet/dapi/v1/verification/1001/inv-1/status');
    expect(answer.status).toBe(413);
    expect(refusal(answer).error).toMatchObject({ cause: 'INVALID_REQUEST', message: 'The body is larger than 8 KiB' });
  });

  it('returns 503 and INTERNAL_ERROR while the body budget of the process is exhausted', async () => {
    processBodies.take(BODY_BUDGET_BYTES, 1);
    const answer = await send(SALE);
    processBodies.giveBack(BODY_BUDGET_BYTES);
    expect([answer.status, answer.headers.get('retry-after')]).toStrictEqual([503, '1']);
    expect(refusal(answer).error).toMatchObject({ cause: 'INTERNAL_ERROR', message: 'Temporarily unavailable, nothing was accepted' });
    expect(received).toStrictEqual([]);
    expect(served).toMatchObject([{ outcome: 'no-room' }]);
    expect(processBodies.held).toBe(0);
  });
});

it('returns the serial-number in every response and passes a valid traceparent to log and operation', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const sent = [
    await send(SALE, PATH, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } }),
    await send(SALE, PATH, { headers: { traceparent: `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01` } }),
    await send('[]', PATH),
  ];
  expect(sent.map(({ headers }) => headers.get('x-request-id'))).toStrictEqual([SERIAL, SERIAL, SERIAL]);
  expect(received.map(({ callerTrace }) => callerTrace)).toStrictEqual([`${traceId}-01`, undefined]);
  expect(served).toMatchObject([{ outcome: 'answered', trace: traceId }, { outcome: 'answered' }, { outcome: 'malformed-member' }]);
  expect(served.slice(1).every((request) => !('trace' in request))).toBe(true);
  nextSerial = () => {
    throw new StoreUnavailable('away');
  };
  expect((await send(SALE)).headers.has('x-request-id')).toBe(false);
});
