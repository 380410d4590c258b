import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { noFailpoints, type MerchantLogin } from '@app/kernel';
import { VaultUnavailable } from '@app/card-vault';
import type { Configuration } from '@app/configuration';
import { PerformVerificationHandler } from '@app/device-verification';
import { OutcomeUnknown, StoreUnavailable, RequestDeadlines, type EventStore, type NewEvent, type StreamName } from '@app/event-store';
import { PerformErrorResponse, PerformSaleRequest, readDeviceBody, type PerformCause } from '@app/gateway-protocol';
import { BODY_BUDGET_BYTES, LimitedExpressAdapter, PlainExceptionFilter, processBodies, ServiceLog } from '@app/http-server';
import { CLOCK, FAILPOINTS } from '@app/injection';
import { eventually, seededRandom, settle, VirtualClock } from '@app/testing';
import { PerformTransferHandler } from '@app/transfer';
import { DeviceVerificationController } from '../device-verification/device-verification.controller';
import type { Admission } from '../request/rate-limit/rate-limit';
import { RATE_LIMIT } from '../request/request.tokens';
import { CompleteTransferTranslation } from '../transfer/complete-transfer.translation';
import { TransferController } from '../transfer/transfer.controller';
import { BodyReading } from './body-reader.guard';
import { failed, type DeviceAnswer, type Failed } from './device-answer';
import type { ServedDeviceRequest } from './device-api.watch';
import type { DeviceRequest } from './device-request';
import { DeviceSessions } from './device-sessions';
import { DeviceSignatures } from './device-signatures';
import { StatusTranslation } from './order-status/status.translation';
import { PerformTranslation } from './perform/perform.translation';

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

/** Who a request is from, and what the controller's translation makes of it. */
interface Proven<Cause> {
  readonly kind: 'proven';
  readonly merchant: MerchantLogin;
  readonly go: () => Promise<DeviceAnswer<Cause>>;
}
const answered: Proven<PerformCause> = {
  kind: 'proven',
  merchant: 'acme' as MerchantLogin,
  go: () => Promise.resolve({ kind: 'answer', body: { invoiceId: 'inv-1', session: { token: 't' } } }),
};

let prove: (request: DeviceRequest<PerformSaleRequest>) => Promise<Proven<PerformCause> | Failed<PerformCause>>;
let admission: Admission;
let nextSerial: () => string;
const asked: Omit<DeviceRequest<PerformSaleRequest>, 'operation'>[] = [];
const served: ServedDeviceRequest[] = [];
const errors: unknown[] = [];

const proof = {
  prove: ({ operation, ...request }: DeviceRequest<PerformSaleRequest>) => {
    asked.push(request);
    return prove({ operation, ...request });
  },
};
const go = (request: Proven<PerformCause>) => request.go();

/** One for both, so that they never draw the same. */
const random = seededRandom();

class DeviceApiAlone {}
const listening = async (prefix: string, httpErrors: Configuration['groupB']['httpErrors']): Promise<INestApplication> => {
  const bodies = new BodyReading({
    serials: { next: () => nextSerial() },
    random,
    failpoints: noFailpoints,
    deadlines,
    configuration: { groupB: { httpErrors } },
    watch: {
      served: (request) => served.push(request),
      failed: (_serial, error) => errors.push(error),
      signatureAmbiguous: () => undefined,
    },
  });
  const providers = [
    { provide: BodyReading, useValue: bodies },
    { provide: CLOCK, useValue: new VirtualClock() },
    { provide: FAILPOINTS, useValue: noFailpoints },
    { provide: DeviceSignatures, useValue: proof },
    { provide: DeviceSessions, useValue: proof },
    { provide: RATE_LIMIT, useValue: { admit: () => Promise.resolve(admission) } },
    { provide: PerformTransferHandler, useValue: {} },
    { provide: PerformVerificationHandler, useValue: {} },
    { provide: PerformTranslation, useValue: { perform: go } },
    { provide: StatusTranslation, useValue: { answer: go } },
    { provide: CompleteTransferTranslation, useValue: { answer: go } },
  ];
  const controllers = [DeviceVerificationController, TransferController];
  const module = { module: DeviceApiAlone, controllers, providers };
  const app = await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: false, abortOnError: false });
  app.useGlobalFilters(new PlainExceptionFilter(new ServiceLog('silent')));
  app.setGlobalPrefix(prefix);
  await app.listen(0, '127.0.0.1');
  return app;
};

const apps = new Map<string, INestApplication>();
beforeAll(async () => {
  apps.set('paynet', await listening('paynet', 'always-200'));
  apps.set('codes', await listening('codes', 'status-codes'));
});
afterAll(() => Promise.all([...apps.values()].map((app) => app.close())));
beforeEach(() => {
  prove = () => Promise.resolve(answered);
  admission = { kind: 'admitted' };
  nextSerial = () => SERIAL;
  for (const list of [asked, served, errors]) list.length = 0;
});

const send = async (body: string | object, path = PATH, init: RequestInit = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const server = apps.get(path.split('/')[1] ?? '')?.getHttpServer() as Server;
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const response = await fetch(address, { method: 'POST', body: text, ...init });
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
};

/** The body of a refusal, held to the interface by its own message class. */
const refusal = ({ text }: { readonly text: string }) => {
  const read = readDeviceBody(PerformErrorResponse, Buffer.from(text));
  if ('refused' in read) throw new Error(`${read.refused.message}: ${text}`);
  return read.ok;
};
const without = (name: keyof typeof SALE): object => Object.fromEntries(Object.entries(SALE).filter(([key]) => key !== name));

describe('broken constraint, unparseable JSON, duplicate key, __proto__, depth over 10, an integer beyond 2^53, the card number in a text (decisions, section 8)', () => {
  const deep = `{"a":${'['.repeat(10)}${']'.repeat(10)}}`;
  const rows: readonly (readonly [what: string, body: string | object, said: string, path?: string])[] = [
    ['a missing member', without('consumer'), 'consumer'],
    ['consumer.email too short', { ...SALE, consumer: { device: { serialNumber: 'SN-1' }, email: 'ab' } }, 'consumer.email'],
    ['a broken constraint', { ...SALE, transaction: { currency: 'usd', amountCentis: 1 } }, 'transaction.currency'],
    ['an amount of nothing', { ...SALE, transaction: { currency: 'USD', amountCentis: 0 } }, 'transaction.amountCentis'],
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
    ['an invoice over 128 characters', SALE, 'invoiceId', `/paynet/dapi/v1/sale/1001/${'x'.repeat(129)}`],
  ];
  it.each(rows.map(([what, body, said, path]) => ({ what, body, said, path })))(
    '$what: INVALID_REQUEST, nobody was asked',
    async ({ body, said, path }) => {
      const answer = await send(body, path);
      const { error, invoiceId } = refusal(answer);
      expect([answer.status, error.cause]).toStrictEqual([200, 'INVALID_REQUEST']);
      expect(error.message).toContain(said);
      expect(error.message).not.toContain(CARD_NUMBER);
      expect(error.code).toMatch(/^\d{16}$/);
      expect(invoiceId).toBe(path === undefined ? 'inv-1' : undefined);
      expect([asked, served]).toMatchObject([
        [],
        [{ operation: 'perform-sale', serial: SERIAL, errorCode: error.code, merchant: undefined }],
      ]);
    },
  );

  it('a compressed body is refused unread', async () => {
    const answer = await send(SALE, PATH, { headers: { 'content-encoding': 'gzip' } });
    expect(refusal(answer).error.message).toContain('Content-Encoding');
  });
});

describe('a request that is well formed', () => {
  it('reaches its operation with known members alone: unknown ones are ignored and never kept', async () => {
    const { status, headers, text } = await send({ ...SALE, extra: 1, consumer: { ...SALE.consumer, extra: { a: 1 } } });
    expect([status, headers.get('content-type'), text]).toStrictEqual([
      200,
      'application/json;charset=utf-8',
      '{"invoiceId":"inv-1","session":{"token":"t"}}',
    ]);
    expect(asked).toHaveLength(1);
    const [{ message, ...request } = { message: undefined }] = asked;
    expect(request).toMatchObject({ path: { endpointId: '1001', invoiceId: 'inv-1' }, serial: SERIAL });
    expect(message).toBeInstanceOf(PerformSaleRequest);
    expect(message).not.toHaveProperty('extra');
    expect(message?.consumer).not.toHaveProperty('extra');
    expect(served).toMatchObject([{ outcome: 'answered', merchant: 'acme', errorCode: undefined }]);
  });

  it('may have an invoice that a path must escape, and a body of 256 KiB', async () => {
    const padded = JSON.stringify({ ...SALE, padding: '' });
    const whole = padded.replace('"padding":""', `"padding":"${'x'.repeat(262_144 - padded.length)}"`);
    expect(whole).toHaveLength(262_144);
    await send(whole, '/paynet/dapi/v1/sale/1001/inv%2F1%20%C3%A9');
    expect(asked).toMatchObject([{ path: { invoiceId: 'inv/1 é' } }]);
  });

  it.each([
    ['/paynet/dapi/v1/transfer/1001/inv-1/sim-a', { assignedId: 'sim-a' }],
    ['/paynet/dapi/v1/transfer/1001/inv-1/status', {}],
    ['/paynet/dapi/v1/verification/1001/inv-1/status', {}],
  ])('%s is an operation', async (path, named) => {
    await send({ ...SALE, session: { ...SALE.session, token: 't'.repeat(36) } }, path);
    expect(asked.map((request) => request.path)).toStrictEqual([{ endpointId: '1001', invoiceId: 'inv-1', ...named }]);
  });

  it.each([
    '/paynet/dapi/v1/sale/1001/inv-1/sim-a',
    '/paynet/dapi/v1/refund/1001/inv-1',
    '/paynet/dapi/v1/s%61le/1001/inv-1',
    '/paynet/dapi/v1/constructor/1001/inv-1',
  ])('%s is none: 404', async (path) => {
    expect(await send(SALE, path)).toMatchObject({ status: 404, text: 'Not Found\n' });
    expect(asked).toStrictEqual([]);
  });
});

describe('a wrong verb is 405, a body over 256 KiB 413, each with an INVALID_REQUEST body (decisions, section 8)', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s', async (method) => {
    const answer = await send('', PATH, { method, ...(method === 'GET' && { body: null }) });
    expect([answer.status, answer.headers.get('allow')]).toStrictEqual([405, 'POST']);
    const { error, invoiceId } = refusal(answer);
    expect([error.cause, invoiceId]).toStrictEqual(['INVALID_REQUEST', 'inv-1']);
    expect(served).toMatchObject([{ outcome: 'method-not-allowed', errorCode: error.code }]);
  });

  it('one byte too many', async () => {
    const answer = await send('x'.repeat(262_145));
    expect(answer.status).toBe(413);
    expect(refusal(answer).error.cause).toBe('INVALID_REQUEST');
    expect(asked).toStrictEqual([]);
  });
});

describe('store away: INTERNAL_ERROR (decisions, section 8)', () => {
  const failing = (error: Error): Proven<PerformCause> => ({ ...answered, go: () => Promise.reject(error) });

  it.each<[string, Error, string]>([
    ['the log', new StoreUnavailable('a secret'), 'temporarily-unavailable'],
    ['the vault', new VaultUnavailable('a secret'), 'temporarily-unavailable'],
    ['an answer of the log was lost', new OutcomeUnknown('a secret'), 'acceptance-unknown'],
    ['a bug', new Error('a secret'), 'internal'],
  ])('%s, before the sender is known and after', async (_what, error, outcome) => {
    for (const next of [() => Promise.reject(error), () => Promise.resolve(failing(error))]) {
      prove = next;
      const answer = await send(SALE);
      expect([answer.status, refusal(answer).error.cause]).toStrictEqual([200, 'INTERNAL_ERROR']);
      expect(answer.text).not.toContain('secret');
    }
    expect(errors).toStrictEqual([error, error]);
    expect(served.map((request) => request.outcome)).toStrictEqual([outcome, outcome]);
  });

  it('no serial is to be had', async () => {
    nextSerial = () => {
      throw new StoreUnavailable('away');
    };
    expect(refusal(await send(SALE)).error.cause).toBe('INTERNAL_ERROR');
    expect(asked).toStrictEqual([]);
  });
});

describe('one deadline a request', () => {
  const never = <Answer>(): Promise<Answer> => new Promise(() => undefined);
  const log = deadlines.guarding({ append: never } as unknown as EventStore);
  const event = { metadata: `{"actor":"acme","causation":"${SERIAL}"}` } as NewEvent;
  const append = () => log.append('a-b' as StreamName, 'no_stream', [event]);

  it.each<[string, string, () => void]>([
    ['temporarily-unavailable', 'nothing of it was sent to the log: before its sender is known', () => (prove = never)],
    ['temporarily-unavailable', 'nothing of it was sent to the log: in its operation', () => (prove = () => Promise.resolve({ ...answered, go: () => never<DeviceAnswer<PerformCause>>() }))], // prettier-ignore
    ['acceptance-unknown', 'an append of it is under way: before its sender is known', () => (prove = () => append().then(() => never()))],
    ['acceptance-unknown', 'an append of it is under way: in its operation', () => (prove = () => Promise.resolve({ ...answered, go: () => append().then(() => never<DeviceAnswer<PerformCause>>()) }))], // prettier-ignore
  ])('is INTERNAL_ERROR within ten seconds, whatever is away: %s where %s', async (outcome, _what, stall) => {
    stall();
    const asking = send(SALE);
    await eventually(() => asked.length === 1);
    await settle();
    await deadlineClock.advance(9_999);
    const answer = await asking;
    expect([answer.status, refusal(answer).error.cause]).toStrictEqual([200, 'INTERNAL_ERROR']);
    expect(served.map((request) => request.outcome)).toStrictEqual([outcome]);
    expect(errors).toHaveLength(1);
    // What comes of it later sends nothing more to the log.
    await expect(append()).rejects.toThrow(StoreUnavailable);
  });
});

describe('the rate of a merchant (safety, T35)', () => {
  it('one request too many is INTERNAL_ERROR with the time to come again; a stranger uses up none', async () => {
    admission = { kind: 'limited', retryAfterMs: 1_001 };
    const answer = await send(SALE);
    expect([refusal(answer).error.cause, answer.headers.get('retry-after')]).toStrictEqual(['INTERNAL_ERROR', '2']);
    prove = () => Promise.resolve(failed('not-authentic', 'INVALID_REQUEST', 'no'));
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
  ])('%s is 200 by default and %i by the setting, with the same body but the code', async (cause, status) => {
    prove = () => Promise.resolve(failed('internal', cause, 'x'));
    const [always, coded] = [await send(SALE), await send(SALE, PATH.replace('/paynet', '/codes'))];
    expect([always.status, coded.status]).toStrictEqual([200, status]);
    const [one, other] = [refusal(always), refusal(coded)];
    expect({ ...other, error: { ...other.error, code: '' } }).toStrictEqual({ ...one, error: { ...one.error, code: '' } });
    expect(one.error.code).not.toBe(other.error.code);
  });
});

describe('what is read before anybody asks who sent it', () => {
  it('is 8 KiB of a status', async () => {
    const answer = await send('x'.repeat(8_193), '/paynet/dapi/v1/verification/1001/inv-1/status');
    expect(answer.status).toBe(413);
    expect(refusal(answer).error).toMatchObject({ cause: 'INVALID_REQUEST', message: 'The body is larger than 8 KiB' });
  });

  it('is nothing while the process reads as much as it may: 503 with INTERNAL_ERROR', async () => {
    processBodies.take(BODY_BUDGET_BYTES, 1);
    const answer = await send(SALE);
    processBodies.giveBack(BODY_BUDGET_BYTES);
    expect([answer.status, answer.headers.get('retry-after')]).toStrictEqual([503, '1']);
    expect(refusal(answer).error).toMatchObject({ cause: 'INTERNAL_ERROR', message: 'Temporarily unavailable, nothing was accepted' });
    expect(asked).toStrictEqual([]);
    expect(served).toMatchObject([{ outcome: 'no-room' }]);
    expect(processBodies.held).toBe(0);
  });
});

it('every answer names the request by its serial-number, and a trace that came with it goes into line and operation', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const sent = [
    await send(SALE, PATH, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } }),
    await send(SALE, PATH, { headers: { traceparent: `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01` } }),
    await send('[]', PATH),
  ];
  expect(sent.map(({ headers }) => headers.get('x-request-id'))).toStrictEqual([SERIAL, SERIAL, SERIAL]);
  expect(asked.map(({ callerTrace }) => callerTrace)).toStrictEqual([`${traceId}-01`, undefined]);
  expect(served).toMatchObject([{ outcome: 'answered', trace: traceId }, { outcome: 'answered' }, { outcome: 'malformed-member' }]);
  expect(served.slice(1).every((request) => !('trace' in request))).toBe(true);
  const away = new StoreUnavailable('away');
  nextSerial = () => {
    throw away;
  };
  expect((await send(SALE)).headers.has('x-request-id')).toBe(false);
});
