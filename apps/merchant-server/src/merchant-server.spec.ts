import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { NestFactory } from '@nestjs/core';
import { Controller, Get, Module, type INestApplication } from '@nestjs/common';
import { addMs, Secret, systemIds, systemRandom, systemScheduler, type ClientOrderId, type Instant } from '@app/kernel';
import { createKeyRing } from '@app/card-vault';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import {
  callbackControl,
  checkSaleSignature,
  checkTransferSignature,
  checkVerificationSignature,
  DEVICE_OPERATIONS,
  MERCHANT_ROUTES,
  notificationSignature,
  paymentSignature,
  verificationSignature,
} from '@app/gateway-protocol';
import {
  MountableMerchantServer,
  MerchantServerModule,
  type ServedMerchantServerRequest,
  type MerchantServerSettings,
  type ProductDecision,
} from '@app/merchant-server';
import { productsFrom } from '@app/configuration';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/http-server';
import { VirtualClock } from '@app/testing';
import { byReference, MerchantServerClient, SAMPLE_CARD, type Begun } from '../../../test/support/merchant-server-client';
import { HttpClient } from '../../../test/support/http-client';
import { AppModule } from './app.module';
import { MerchantMetrics } from './operator/merchant-metrics';
import { OperatorModule } from './operator.module';
import { StoreReadiness } from './store-readiness';

const KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const SECRET = 'a-shared-secret-of-32-characters';
const CALLBACK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const products = productsFrom(
  JSON.stringify({
    products: [
      {
        login: 'acme',
        controlKey: KEY,
        endpoints: [
          { id: '1001', currency: 'USD' },
          { id: '1004', currency: 'USD', operations: ['transfer'] },
          { id: '1005', currency: 'EUR', operations: ['sale'] },
        ],
        rates: [
          { fromBins: ['*'], toBins: ['*'], ratePerTenThousand: 150, minCentis: 30 },
          { fromBins: ['44'], toBins: ['55'], ratePerTenThousand: 50, minCentis: 10 },
        ],
      },
      {
        login: 'other',
        controlKey: '00112233445566778899aabbccddeeff',
        tokenSecret: SECRET,
        endpoints: [{ id: '2001', currency: 'USD' }],
      },
      {
        login: 'signed',
        controlKey: '0F0E0D0C-0B0A-0908-0706-050403020100',
        tokenSecret: SECRET,
        callback: { secret: CALLBACK_SECRET },
        endpoints: [{ id: '3001', currency: 'USD' }],
      },
      {
        login: 'unsigned',
        controlKey: '1F0E0D0C-0B0A-0908-0706-050403020100',
        tokenSecret: SECRET,
        unsignedNotifications: true,
        endpoints: [{ id: '4001', currency: 'USD' }],
      },
    ],
  }),
  { source: 'test', folder: '/', environment: {} },
);
const [acme] = products.all;
const { controlKey } = acme;

const folder = mkdtempSync(join(tmpdir(), 'merchant-server-'));
const keyRing = createKeyRing(join(folder, 'keyring.json'));
const clock = new VirtualClock();
const memory = new MemoryEventStore(clock);
const store = new StumblingStore(memory);
let word: ProductDecision | Error = { kind: 'go-on' };
let logged = '';
const log = new ServiceLog('info', new Writable({ write: (chunk: Buffer, _, done) => ((logged += String(chunk)), done()) }), 'test');
const settings: MerchantServerSettings = {
  products,
  store,
  keyRing,
  isProduction: false,
  clock,
  checks: {
    check: async () => {
      if (word instanceof Error) throw word;
      return word;
    },
  },
};

const opened: (() => Promise<unknown>)[] = [];
const listening = async (app: INestApplication): Promise<MerchantServerClient> => {
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  const client = new HttpClient(() => `http://127.0.0.1:${port}`);
  opened.push(
    () => client.close(),
    () => app.close(),
  );
  return new MerchantServerClient(client);
};
/** The merchant server's own application over what a test gives it. */
const serve = async (
  more: Partial<MerchantServerSettings> = {},
  onServed: (served: ServedMerchantServerRequest) => void = () => undefined,
): Promise<MerchantServerClient> => {
  const readiness = new StoreReadiness(store, systemScheduler, () => undefined);
  const module = AppModule.over({ server: { ...settings, ...more, log, onServed }, readiness });
  const app = await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: false });
  app.useGlobalFilters(new PlainExceptionFilter(log));
  return listening(app);
};

/** What those who run the server read of it. */
const figures = async (metrics: MerchantMetrics): Promise<string> => {
  const readiness = new StoreReadiness(store, systemScheduler, () => undefined);
  const app = await NestFactory.create(OperatorModule.over({ readiness, metrics }), new LimitedExpressAdapter(), {
    bodyParser: false,
    logger: false,
  });
  await app.listen(0, '127.0.0.1');
  const client = new HttpClient(() => `http://127.0.0.1:${(app.getHttpServer() as { address(): AddressInfo }).address().port}`);
  try {
    expect((await client.request('/health/ready')).status).toBe(200);
    expect((await client.request('/auth/request-access-token?email=a@b.example')).status).toBe(404);
    const { status, headers, body } = await client.request('/metrics');
    expect([status, headers['content-type']]).toStrictEqual([200, expect.stringContaining('text/plain; version=0.0.4')]);
    return body;
  } finally {
    await client.close();
    await app.close();
  }
};

let client: MerchantServerClient;
beforeAll(async () => {
  client = await serve();
});
afterAll(async () => {
  for (const close of opened) await close();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  word = { kind: 'go-on' };
  store.isAway = false;
});

const forbidden = { status: 403, text: '' };
const failure = (cause: string, message: unknown = expect.any(String) as unknown, more: object = {}) => ({
  error: { cause, code: expect.stringMatching(/^\d{16}$/) as unknown, message },
  ...more,
});
const order = (begun: Begun) => ({ ...begun, currency: 'USD', amountCentis: 12_345 });

it('counts requests by operation and outcome, and shows the counts on the operator port alone', async () => {
  const metrics = new MerchantMetrics();
  const watched = await serve({}, (served) => metrics.served(served));
  await watched.requestToken('?email=john@example.com');
  await watched.requestToken('?email=');
  await watched.below('other').requestToken();
  await watched.below('nobody').requestToken();
  const body = await figures(metrics);
  expect(body.split('\n').filter((line) => line.startsWith('merchant_server_requests_total'))).toStrictEqual([
    'merchant_server_requests_total{operation="request-access-token",outcome="answered"} 1',
    'merchant_server_requests_total{operation="request-access-token",outcome="INVALID_REQUEST"} 1',
    'merchant_server_requests_total{operation="request-access-token",outcome="forbidden"} 1',
  ]);
  expect(body).toContain('merchant_server_request_seconds_count{operation="request-access-token"} 3');
  expect((await client.send('/metrics')).status).toBe(404);
});

describe('access token (protocol decisions, section 8)', () => {
  it('is 64 random characters of [0-9a-zA-Z^$]', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => client.requestToken('?email=john@example.com')));
    for (const { status, body } of tokens) {
      expect({ status, body }).toStrictEqual({
        status: 200,
        body: { session: { accessToken: expect.stringMatching(/^[0-9a-zA-Z^$]{64}$/) } },
      });
    }
    expect(new Set(tokens.map(({ text }) => text)).size).toBe(20);
  });

  it.each(['auth/v1/request-access-token', 'auth/request-access-token/request-access-token', 'auth/%2F/request-access-token'])(
    'is given by GET /%s too',
    async (path) => {
      for (const below of ['', 'acme/']) {
        const { status, body } = await client.send(`${below}${path}?email=john@example.com`, undefined, { method: 'GET' });
        expect([status, body.session.accessToken.length]).toStrictEqual([200, 64]);
      }
      const posted = await client.send(path);
      expect([posted.status, posted.body]).toStrictEqual([405, failure('INVALID_REQUEST', 'the method must be GET')]);
    },
  );

  it.each(['?email=', '?email=ab', `?email=${'a'.repeat(129)}`, '?email=a@b.c&email=d@e.f', '?email=a%0Ab.c'])(
    'is not given for a malformed e-mail: %s',
    async (query) => {
      const { status, body } = await client.requestToken(query);
      expect({ status, body }).toStrictEqual({
        status: 400,
        body: failure('INVALID_REQUEST', 'email must be given once, 3 to 128 characters'),
      });
    },
  );

  it('belongs to the first device that uses it', async () => {
    const accessToken = await client.token();
    expect((await client.initiate('sale', { accessToken, serialNumber: 'SN-1' })).status).toBe(200);
    expect((await client.initiate('sale', { accessToken, serialNumber: 'SN-1' })).status).toBe(200);
    expect(await client.initiate('sale', { accessToken, serialNumber: 'SN-2' })).toMatchObject(forbidden);
  });

  it('is bound to one device, however many use it at once', async () => {
    const accessToken = await client.token();
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => client.initiate('sale', { accessToken, serialNumber: `SN-${index}` })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 403)).toHaveLength(7);
  });

  it('expires after 60 minutes', async () => {
    const own = new VirtualClock();
    const server = await serve({ clock: own, store: new MemoryEventStore(own) });
    const accessToken = await server.token();
    await own.advance(3_600_000 - 1);
    expect((await server.initiate('sale', { accessToken })).status).toBe(200);
    await own.advance(1);
    expect(await server.initiate('sale', { accessToken })).toMatchObject(forbidden);
  });

  it('is issued to a caller with the product’s secret, where it has one', async () => {
    const other = client.below('other');
    expect(await other.requestToken()).toMatchObject(forbidden);
    expect(await other.requestToken('', { authorization: 'Bearer wrong-secret-wrong-secret' })).toMatchObject(forbidden);
    expect(await other.requestToken('', { authorization: SECRET })).toMatchObject(forbidden);
    expect((await other.requestToken('', { authorization: `Bearer ${SECRET}` })).status).toBe(200);
  });

  it('is issued to no caller in production without such a secret', async () => {
    const production = await serve({ isProduction: true });
    expect(await production.requestToken()).toMatchObject(forbidden);
    expect(await production.requestToken('', { authorization: 'Bearer ' })).toMatchObject(forbidden);
    expect((await production.below('other').requestToken('', { authorization: `Bearer ${SECRET}` })).status).toBe(200);
  });
});

describe('initiate (interface, section 4.4)', () => {
  const paths = DEVICE_OPERATIONS.flatMap((operation) => MERCHANT_ROUTES.initiate[operation].map((path) => [operation, path] as const));

  it.each(paths)('%s by %s: endpoint, invoice, nonce and signature', async (operation, path) => {
    const accessToken = await client.token();
    const { status, body } = await client.initiate(operation, { accessToken, path });
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        endpointId: operation === 'transfer' ? '1004' : '1001',
        invoiceId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        session: { nonce: expect.stringMatching(/^[0-9a-zA-Z^$]{64}$/), signature: expect.stringMatching(/^[0-9A-F]{40}$/) },
        ...(operation === 'transfer' && { rates: { min: '0.62', max: '1.85' } }),
      },
    });
    const { endpointId, invoiceId, session } = body;
    const signed = { accessToken, serialNumber: 'SN-1', endpointId, nonce: session.nonce, invoiceId, currency: 'USD' };
    const signature =
      operation === 'verification'
        ? verificationSignature(signed, controlKey)
        : paymentSignature({ ...signed, amountCentis: 12_345 }, controlKey);
    expect(session.signature).toBe(signature);
  });

  it.each([
    [{}, { min: '0.62', max: '1.85' }],
    [
      { fromBin: '444455', toBin: '555566' },
      { min: '0.62', max: '1.85' },
    ],
    [
      { fromBin: '444455', toBin: '666677' },
      { min: '1.85', max: '1.85' },
    ],
    [{ toBin: '666677' }, { min: '1.85', max: '1.85' }],
    [{ amountCentis: 100 }, { min: '0.10', max: '0.30' }],
  ])('transfer of %j answers its least and most commission', async (more, rates) => {
    const { body } = await client.initiate('transfer', { accessToken: await client.token(), ...more });
    expect(body.rates).toStrictEqual(rates);
  });

  it.each<[string, object]>([
    ['inside transaction as text', { transaction: { fromBin: '444455', toBin: '666677' } }],
    ['inside transaction as integers', { transaction: { fromBin: 444_455, toBin: 666_677 } }],
    ['beside it as integers', { fromBin: 444_455, toBin: 666_677 }],
    ['in both places, the same', { fromBin: '444455', transaction: { fromBin: 444_455, toBin: '666677' } }],
  ])('transfer accepts BINs %s', async (_where, more) => {
    const { status, body } = await client.initiate('transfer', { accessToken: await client.token(), ...more });
    expect({ status, rates: body.rates }).toStrictEqual({ status: 200, rates: { min: '1.85', max: '1.85' } });
  });

  it('transfer refuses other BINs inside transaction than beside it, and opens no invoice', async () => {
    const accessToken = await client.token();
    const before = await memory.head();
    const { status, body } = await client.initiate('transfer', { accessToken, toBin: '555566', transaction: { toBin: 666_677 } });
    expect({ status, body }).toStrictEqual({
      status: 400,
      body: failure('INVALID_REQUEST', 'transaction must not name other BINs than the body'),
    });
    expect(await memory.head()).toBe(before);
  });

  it('transfer answers no commission where the product has no table', async () => {
    const { body } = await client.below('other').requestToken('', { authorization: `Bearer ${SECRET}` });
    const { body: begun } = await client.below('other').initiate('transfer', { accessToken: body.session.accessToken });
    expect(begun).toMatchObject({ endpointId: '2001' });
    expect(begun).not.toHaveProperty('rates');
  });

  it('uses an endpoint for the operations that it names, and for no other', async () => {
    const accessToken = await client.token();
    expect((await client.initiate('sale', { accessToken, currency: 'EUR' })).body.endpointId).toBe('1005');
    const { status, body } = await client.initiate('verification', { accessToken, currency: 'EUR' });
    expect({ status, body }).toStrictEqual({
      status: 400,
      body: failure('INVALID_REQUEST', 'transaction.currency is not served for this operation'),
    });
  });

  it('refuses a token that was never issued, and one of another product', async () => {
    const { body } = await client.below('other').requestToken('', { authorization: `Bearer ${SECRET}` });
    expect(await client.initiate('sale', { accessToken: 'x'.repeat(64) })).toMatchObject(forbidden);
    expect(await client.initiate('sale', { accessToken: body.session.accessToken })).toMatchObject(forbidden);
  });

  it.each([
    ['no JSON', 'consumer=1'],
    ['a key given twice', '{"session":{},"session":{}}'],
    ['__proto__', '{"__proto__":{"session":{}}}'],
    ['depth over 10', `${'{"a":'.repeat(11)}1${'}'.repeat(11)}`],
    ['an integer beyond 2^53', '{"transaction":{"amountCentis":9007199254740993}}'],
    ['nothing', ''],
    ['a member that is missing', { session: { accessToken: 'x'.repeat(32) } }],
  ])('refuses %s with INVALID_REQUEST and no invoiceId', async (_, body) => {
    const reply = await client.send('transfer/initiate-sale', body);
    expect({ status: reply.status, body: reply.body }).toStrictEqual({ status: 400, body: failure('INVALID_REQUEST') });
  });

  it('refuses a body over 32 KiB, a callback over 256, with 413, and another verb with 405', async () => {
    for (const [path, limit] of [
      ['transfer/initiate-sale', 32_768],
      ['callback', 262_144],
    ] as const) {
      const large = await client.send(path, `{"a":"${'x'.repeat(limit)}"}`);
      expect({ status: large.status, body: large.body }).toStrictEqual({ status: 413, body: failure('INVALID_REQUEST') });
      expect((await client.send(path, `{"a":"${'x'.repeat(limit - 9)}"}`)).status).toBe(400);
    }
    const read = await client.send('transfer/initiate-sale', undefined, { method: 'GET' });
    expect({ status: read.status, allow: read.headers['allow'], body: read.body }).toStrictEqual({
      status: 405,
      allow: 'POST',
      body: failure('INVALID_REQUEST', 'the method must be POST'),
    });
  });
});

describe('check (interface, section 4.6)', () => {
  it.each(DEVICE_OPERATIONS)('%s is answered with the signature, currency and the consumer', async (operation) => {
    const begun = await client.begin(operation, { email: 'john@example.com' });
    const { status, body } = await client.check(begun);
    const sign = { verification: checkVerificationSignature, sale: checkSaleSignature, transfer: checkTransferSignature }[operation];
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        invoiceId: begun.invoiceId,
        session: { checkSignature: sign(begun, controlKey), nonce: begun.nonce, token: begun.token },
        consumer: { email: 'john@example.com' },
        transaction: { currency: 'USD' },
      },
    });
  });

  it('has no e-mail for a consumer without one', async () => {
    expect((await client.check(await client.begin('sale'))).body).not.toHaveProperty('consumer');
  });

  it('is answered the same when repeated, and refuses another session token', async () => {
    const begun = await client.begin('sale');
    const first = await client.check(begun);
    expect(await client.check(begun)).toMatchObject({ status: 200, body: first.body });
    expect(await client.check({ ...begun, token: systemIds.next() })).toMatchObject(forbidden);
    expect(await client.check(begun)).toMatchObject({ status: 200, body: first.body });
  });

  it('accepts one of many session tokens that come at once', async () => {
    const begun = await client.begin('sale');
    const replies = await Promise.all(Array.from({ length: 12 }, () => client.check({ ...begun, token: systemIds.next() })));
    expect(replies.map(({ status }) => status).sort()).toStrictEqual([200, ...Array.from({ length: 11 }, () => 403)]);
  });

  it('releases its session token where another check of the same invoice was first', async () => {
    const [begun, other] = [await client.begin('sale'), await client.begin('sale')];
    const lost = systemIds.next();
    // The other comes after this one's token was learnt, and before its check is recorded.
    store.stumble({ kind: 'rival', write: async () => undefined }, { kind: 'rival', write: () => client.check(begun) });
    expect(await client.check({ ...begun, token: lost })).toMatchObject(forbidden);
    expect((await client.check(begun)).status).toBe(200);
    expect((await client.check({ ...other, token: lost })).status).toBe(200);
    expect((await client.notify({ ...other, token: lost })).body.invoiceId).toBe(other.invoiceId);
    expect(await client.check({ ...begun, token: lost })).toMatchObject(forbidden);
    expect((await client.notify({ ...other, token: lost })).status).toBe(200);
  });

  it('records nothing where it is refused', async () => {
    const begun = await client.begin('sale');
    await client.check(begun);
    const expired = await client.begin('sale');
    await clock.advance(60 * 60_000);
    const before = await memory.head();
    for (const refused of [begun, expired]) expect(await client.check({ ...refused, token: systemIds.next() })).toMatchObject(forbidden);
    expect(await memory.head()).toBe(before);
  });

  it('accepts a session token for one invoice alone', async () => {
    const [first, second] = [await client.begin('sale'), await client.begin('sale')];
    expect((await client.check(first)).status).toBe(200);
    const before = await memory.head();
    expect(await client.check({ ...second, token: first.token })).toMatchObject(forbidden);
    expect(await memory.head()).toBe(before);
    expect((await client.check(second)).status).toBe(200);
    expect((await client.notify(first)).body.invoiceId).toBe(first.invoiceId);
  });

  it('binds a session token of two invoices at once to one of them, and leaves the other unchanged', async () => {
    const invoices = [await client.begin('sale'), await client.begin('sale')];
    const token = systemIds.next();
    const replies = await Promise.all(invoices.map((begun) => client.check({ ...begun, token })));
    expect(replies.map(({ status }) => status).sort()).toStrictEqual([200, 403]);
    for (const [index, begun] of invoices.entries()) {
      const isTaken = replies[index]?.status === 200;
      expect((await client.check(begun)).status).toBe(isTaken ? 403 : 200);
    }
  });

  it.each<[string, Partial<Begun> | ((other: Begun) => Partial<Begun>)]>([
    ['accessToken', { accessToken: 'x'.repeat(64) }],
    ['accessToken of another device', ({ accessToken, serialNumber }) => ({ accessToken, serialNumber })],
    ['serialNumber', { serialNumber: 'SN-2' }],
    ['nonce', { nonce: 'n'.repeat(64) }],
    ['nonce of another invoice', ({ nonce, signature }) => ({ nonce, signature })],
    ['signature', { signature: 'A'.repeat(40) }],
    ['operation', { operation: 'transfer' }],
    ['invoice', { invoiceId: '33333333-3333-4333-8333-333333333333' }],
    ['invoice that no server makes', { invoiceId: 'a'.repeat(500) }],
  ])('answers a wrong %s with 403 and an empty body, and changes nothing', async (_, wrong) => {
    const begun = await client.begin('sale');
    const other = await client.begin('sale', { serialNumber: 'SN-3' });
    expect(await client.check({ ...begun, ...(typeof wrong === 'function' ? wrong(other) : wrong) })).toMatchObject(forbidden);
    expect((await client.check(begun)).status).toBe(200);
  });

  it('accepts the signature in upper and lower case', async () => {
    const begun = await client.begin('sale');
    expect((await client.check({ ...begun, signature: begun.signature.toLowerCase() })).status).toBe(200);
  });

  it('is forbidden for an invoice of another product', async () => {
    expect(await client.below('other').check(await client.begin('sale'))).toMatchObject(forbidden);
  });

  it('refuses a broken constraint with INVALID_REQUEST and the invoiceId of the path', async () => {
    const begun = await client.begin('sale');
    const { status, body } = await client.send(`sale/${begun.invoiceId}/check`, { consumer: {} });
    expect({ status, body }).toStrictEqual({
      status: 400,
      body: failure('INVALID_REQUEST', expect.any(String), { invoiceId: begun.invoiceId }),
    });
  });

  it('ends FILTERED where the product rejects the operation', async () => {
    const begun = await client.begin('sale');
    word = { kind: 'filtered', message: 'not in this country' };
    const { status, body } = await client.check(begun);
    expect({ status, body }).toStrictEqual({
      status: 422,
      body: failure('FILTERED', 'not in this country', { invoiceId: begun.invoiceId }),
    });
  });

  it('has the random sum of the product, and asks the product once', async () => {
    const begun = await client.begin('verification');
    word = { kind: 'go-on', randomSumCentis: 142 };
    expect((await client.check(begun)).body.transaction).toStrictEqual({ currency: 'USD', randomSumCentis: 142 });
    word = new Error('asked again');
    expect((await client.check(begun)).body.transaction).toStrictEqual({ currency: 'USD', randomSumCentis: 142 });
  });
});

describe('a repeat by reference (protocol decisions, section 8)', () => {
  it('has the serverCardId, covered by the signature, and the e-mail of the mapping', async () => {
    const { source } = await client.complete('sale', { email: 'repeat@example.com' });
    const again = await client.begin('sale', { email: 'repeat@example.com' });
    const { status, body } = await client.check(again, { sourceOfFunds: byReference(source) });
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        invoiceId: again.invoiceId,
        session: {
          checkSignature: checkSaleSignature({ ...order(again), sourceServerCardId: SAMPLE_CARD.serverCardId }, controlKey),
          nonce: again.nonce,
          token: again.token,
        },
        consumer: { email: 'repeat@example.com' },
        transaction: { currency: 'USD' },
        sourceOfFunds: { reference: { serverCardId: SAMPLE_CARD.serverCardId } },
      },
    });
  });

  it('of a transfer names both cards', async () => {
    const destination = { bin: 555_566, serverCardId: 'cdestination0000000c', uniqueReferenceCardId: 987_654_321 };
    const who = { email: 'both@example.com' };
    const first = await client.complete('transfer', who, { source: SAMPLE_CARD, destination });
    const again = await client.begin('transfer', who);
    const { body } = await client.check(again, {
      sourceOfFunds: byReference(first.source),
      destinationOfFunds: byReference(first.destination),
    });
    const named = { sourceServerCardId: SAMPLE_CARD.serverCardId, destinationServerCardId: destination.serverCardId };
    expect(body).toMatchObject({
      session: { checkSignature: checkTransferSignature({ ...again, ...named }, controlKey) },
      sourceOfFunds: { reference: { serverCardId: SAMPLE_CARD.serverCardId } },
      destinationOfFunds: { reference: { serverCardId: destination.serverCardId } },
    });
  });

  it('allows a source as a destination, and refuses a destination as a source', async () => {
    const who = { email: 'uses@example.com' };
    const destination = { bin: 555_566, serverCardId: 'cdestination0000000c', uniqueReferenceCardId: 987_654_321 };
    const cards = await client.complete('transfer', who, { source: SAMPLE_CARD, destination });
    const asDestination = await client.check(await client.begin('transfer', who), { destinationOfFunds: byReference(cards.source) });
    expect(asDestination.body.destinationOfFunds).toStrictEqual({ reference: { serverCardId: SAMPLE_CARD.serverCardId } });
    expect(await client.check(await client.begin('transfer', who), { sourceOfFunds: byReference(cards.destination) })).toMatchObject(
      forbidden,
    );
  });

  it("of another consumer's card, or of none, is forbidden", async () => {
    const { source } = await client.complete('sale', { email: 'owner@example.com' });
    const thief = await client.begin('sale', { email: 'thief@example.com' });
    expect(await client.check(thief, { sourceOfFunds: byReference(source) })).toMatchObject(forbidden);
    const owner = await client.begin('sale', { email: 'owner@example.com' });
    expect(await client.check(owner, { sourceOfFunds: byReference('unknown') })).toMatchObject(forbidden);
  });

  it('has the e-mail of the mapping and not that of the token: rule 3', async () => {
    const destination = { bin: 555_566, serverCardId: 'cdestination0000000c', uniqueReferenceCardId: 987_654_321 };
    const mapped = 'Mapped@Example.com';
    const first = await client.complete('transfer', { email: mapped }, { source: SAMPLE_CARD, destination });
    // One consumer, who writes the address in another way today.
    const today = () => client.begin('transfer', { email: 'mapped@example.com' });
    const emailOf = async (begun: Begun, funds: object): Promise<unknown> => (await client.check(begun, funds)).body.consumer;
    expect(await emailOf(await today(), {})).toStrictEqual({ email: 'mapped@example.com' });
    expect(await emailOf(await today(), { sourceOfFunds: byReference(first.source) })).toStrictEqual({ email: mapped });
    expect(await emailOf(await today(), { destinationOfFunds: byReference(first.destination) })).toStrictEqual({ email: mapped });

    // What is mapped by such a repeat carries the e-mail that its check did.
    const repeat = await today();
    await client.check(repeat, { sourceOfFunds: byReference(first.source) });
    await client.notify(repeat, { source: SAMPLE_CARD, destination: { ...destination, uniqueReferenceCardId: 987_654_322 } });
    const named = (await client.clientIds(repeat)).body.destinationCard?.reference.clientCardId ?? '';
    expect(await emailOf(await today(), { destinationOfFunds: byReference(named) })).toStrictEqual({ email: mapped });
  });

  it('works for a consumer whom only the device identifies', async () => {
    const { source } = await client.complete('sale', { serialNumber: 'SN-anonymous' });
    const again = await client.begin('sale', { serialNumber: 'SN-anonymous' });
    expect((await client.check(again, { sourceOfFunds: byReference(source) })).status).toBe(200);
    const elsewhere = await client.begin('sale', { serialNumber: 'SN-elsewhere' });
    expect(await client.check(elsewhere, { sourceOfFunds: byReference(source) })).toMatchObject(forbidden);
  });

  it('is answered the same when repeated, and another card under the same token is forbidden', async () => {
    const who = { email: 'same@example.com' };
    const { source } = await client.complete('sale', who);
    const other = await client.complete('sale', who, { source: { ...SAMPLE_CARD, serverCardId: 'canother', uniqueReferenceCardId: 5 } });
    const begun = await client.begin('sale', who);
    const first = await client.check(begun, { sourceOfFunds: byReference(source) });
    expect(await client.check(begun, { sourceOfFunds: byReference(source) })).toMatchObject({ status: 200, body: first.body });
    expect(await client.check(begun, { sourceOfFunds: byReference(other.source) })).toMatchObject(forbidden);
    expect(await client.check(begun)).toMatchObject(forbidden);
  });

  it('has the random sum that the cardholder entered for the card', async () => {
    const who = { email: 'sum@example.com' };
    const { begun, source } = await client.complete('verification', who);
    expect((await client.tellRandomSum(begun, 111)).status).toBe(200);
    const again = await client.begin('sale', who);
    const { body } = await client.check(again, { sourceOfFunds: byReference(source) });
    expect(body.transaction).toStrictEqual({ currency: 'USD', randomSumCentis: 111 });
  });
});

describe('card mapping notification (interface, section 4.8)', () => {
  const paths = DEVICE_OPERATIONS.flatMap((operation) => MERCHANT_ROUTES.notification[operation].map((path) => [operation, path] as const));

  it.each(paths)('%s by %s is acknowledged with the invoice of the token', async (operation, path) => {
    const begun = await client.begin(operation);
    await client.check(begun);
    const { status, body } = await client.notify(begun, undefined, path.replace(':invoiceId', begun.invoiceId));
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        invoiceId: begun.invoiceId,
        session: { checkSignature: notificationSignature(begun, controlKey), nonce: begun.nonce, token: begun.token },
      },
    });
  });

  it('is acknowledged the same when repeated, and of a sale without a card too', async () => {
    const { begun } = await client.complete('sale', {}, {});
    const repeated = await client.notify(begun, {});
    expect(repeated.status).toBe(200);
    expect(await client.notify(begun, {})).toMatchObject({ status: 200, body: repeated.body });
    expect(await client.notify(begun)).toMatchObject(forbidden);
  });

  it.each<[string, Partial<Begun>]>([
    ['token', { token: '33333333-3333-4333-8333-333333333333' }],
    ['accessToken', { accessToken: 'x'.repeat(64) }],
    ['serialNumber', { serialNumber: 'SN-2' }],
    ['operation', { operation: 'transfer' }],
  ])('with a wrong %s is forbidden', async (_, wrong) => {
    const begun = await client.begin('sale');
    await client.check(begun);
    expect(await client.notify({ ...begun, ...wrong })).toMatchObject(forbidden);
    expect((await client.clientIds(begun)).body).toStrictEqual({ invoiceId: begun.invoiceId });
  });

  it('before the check, or by the path of another invoice, is forbidden', async () => {
    const [begun, other] = [await client.begin('sale'), await client.begin('sale')];
    expect(await client.notify(begun)).toMatchObject(forbidden);
    await client.check(begun);
    expect(await client.notify(begun, undefined, `sale/${other.invoiceId}/notification`)).toMatchObject(forbidden);
  });

  it('of other cards than before is forbidden, and gives no id', async () => {
    const { begun } = await client.complete('sale', { email: 'told-twice@example.com' });
    const before = await memory.head();
    expect(await client.notify(begun, { source: { ...SAMPLE_CARD, uniqueReferenceCardId: 5 } })).toMatchObject(forbidden);
    expect(await client.notify(begun, {})).toMatchObject(forbidden);
    expect(await memory.head()).toBe(before);
  });

  it('of one card more than before is forbidden, and gives no id', async () => {
    const destination = { bin: 555_566, serverCardId: 'cdestination0000000c', uniqueReferenceCardId: 987_654_321 };
    const none = await client.complete('sale', { email: 'told-none@example.com' }, {});
    const one = await client.complete('transfer', { email: 'told-one@example.com' });
    const before = await memory.head();
    expect(await client.notify(none.begun)).toMatchObject(forbidden);
    expect(await client.notify(one.begun, { source: SAMPLE_CARD, destination })).toMatchObject(forbidden);
    expect(await memory.head()).toBe(before);
  });

  it('accepts a reference of 2^53 - 1 and one that looks like a card number', async () => {
    const cards = [Number.MAX_SAFE_INTEGER, 4_111_111_111_111_111].map((uniqueReferenceCardId) => ({
      ...SAMPLE_CARD,
      uniqueReferenceCardId,
    }));
    for (const source of cards) expect((await client.complete('sale', {}, { source })).source).not.toBe('');
  });
});

describe('a card mapping notification of a product with a callback.secret', () => {
  const who = { authorization: `Bearer ${SECRET}` };
  const secret = new Secret(CALLBACK_SECRET);
  const begun = async (server: MerchantServerClient, login = 'signed'): Promise<{ below: MerchantServerClient; one: Begun }> => {
    const below = server.below(login);
    const accessToken = (await below.requestToken('', who)).body.session.accessToken;
    const one = await below.begin('sale', { accessToken });
    await below.check(one);
    return { below, one };
  };
  const isNamed = async (below: MerchantServerClient, one: Begun): Promise<boolean> =>
    (await below.clientIds(one)).body.sourceCard !== undefined;

  it.each([false, true])('is accepted with the gateway’s signature, and when repeated (production: %s)', async (isProduction) => {
    const { below, one } = await begun(await serve({ isProduction }));
    for (const at of [clock.now(), addMs(clock.now(), 60_000)])
      expect((await below.notify(one, undefined, undefined, { secret, at })).status).toBe(200);
    expect(await isNamed(below, one)).toBe(true);
  });

  it('is refused without a signature, since an app knows every other value, and the log has the reason', async () => {
    const { below, one } = await begun(client);
    logged = '';
    expect(await below.notify(one)).toMatchObject(forbidden);
    expect(await isNamed(below, one)).toBe(false);
    expect(logged).toContain('"reason":"notification-not-signed"');
  });

  it.each<[string, Partial<{ secret: Secret<string>; at: Instant; headers: Record<string, string>; bend: (body: string) => string }>]>([
    ['another secret', { secret: new Secret(`whsec_${Buffer.alloc(24, 1).toString('base64')}`) }],
    ['a signature of other cards', { bend: (body) => body.replace('123456789', '123456788') }],
    ['a signature that is older than the tolerance', { at: addMs(clock.now(), -300_001) }],
    ['a signature of the future', { at: addMs(clock.now(), 302_000) }],
    ['another webhook-id than was signed', { headers: { 'webhook-id': 'another' } }],
    ['another time than was signed', { headers: { 'webhook-timestamp': String(Math.floor(clock.now() / 1_000) - 1) } }],
    ['a signature that is none', { headers: { 'webhook-signature': 'v1,AAAA' } }],
  ])('is refused with %s, and gives no card an id', async (_what, wrong) => {
    const { below, one } = await begun(client);
    expect(await below.notify(one, undefined, undefined, { secret, at: clock.now(), ...wrong })).toMatchObject(forbidden);
    expect(await isNamed(below, one)).toBe(false);
  });

  it('is refused when replayed with other cards, and changes nothing when replayed unchanged', async () => {
    const { below, one } = await begun(client);
    const signed = { secret, at: clock.now() };
    expect((await below.notify(one, undefined, undefined, signed)).status).toBe(200);
    const before = await memory.head();
    expect((await below.notify(one, undefined, undefined, signed)).status).toBe(200);
    const bent = { ...signed, bend: (body: string) => body.replace('444455', '444456') };
    expect(await below.notify(one, undefined, undefined, bent)).toMatchObject(forbidden);
    expect(await memory.head()).toBe(before);
  });

  it('must be signed in production for a product without a secret too, unless it has unsignedNotifications', async () => {
    const production = await serve({ isProduction: true });
    for (const [login, status] of [
      ['other', 403],
      ['unsigned', 200],
    ] as const) {
      const { below, one } = await begun(production, login);
      expect([login, (await below.notify(one)).status]).toStrictEqual([login, status]);
      expect((await below.notify(one, undefined, undefined, { secret, at: clock.now() })).status).toBe(status);
    }
  });

  it('is refused for an order whose callback was declined, and the log has the reason', async () => {
    const one = await client.begin('sale', { email: 'declined@example.com' });
    await client.check(one);
    const end = { status: 'declined', orderId: '1234567890', clientOrderId: one.invoiceId };
    const control = callbackControl(end, controlKey);
    const told = { status: end.status, orderid: end.orderId, client_orderid: end.clientOrderId, control };
    expect((await client.send('callback', told)).status).toBe(200);
    logged = '';
    expect(await client.notify(one)).toMatchObject(forbidden);
    expect(await isNamed(client, one)).toBe(false);
    expect(logged).toContain('"reason":"order-not-approved"');
  });
});

describe('client ids (protocol decisions, section 8)', () => {
  it('are random, and the same for the same card of the same consumer', async () => {
    const who = { email: 'ids@example.com' };
    const first = await client.complete('sale', who);
    const second = await client.complete('sale', who, { source: { ...SAMPLE_CARD, serverCardId: 'canother0reference0c' } });
    const stranger = await client.complete('sale', { email: 'stranger@example.com' });
    expect(first.source).toMatch(/^[0-9a-f-]{36}$/);
    expect(second.source).toBe(first.source);
    expect(stranger.source).not.toBe(first.source);
    const { status, body } = await client.clientIds(first.begun);
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        invoiceId: first.begun.invoiceId,
        sourceCard: { bin: 444_455, reference: { clientCardId: first.source } },
        sourceCardRefId: first.source,
      },
    });
  });

  it('are answered in both forms, for each card its own', async () => {
    const destination = { bin: 555_566, serverCardId: 'cdestination0000000c', uniqueReferenceCardId: 987_654_321 };
    const transfer = await client.complete('transfer', { email: 'flat@example.com' }, { source: SAMPLE_CARD, destination });
    expect(transfer.source).not.toBe(transfer.destination);
    expect((await client.clientIds(transfer.begun)).body).toMatchObject({
      sourceCardRefId: transfer.source,
      destinationCardRefId: transfer.destination,
    });
  });

  it('are the same for a card in many notifications at once', async () => {
    const accessToken = await client.token('at-once@example.com');
    const begun = await Promise.all(Array.from({ length: 6 }, () => client.begin('sale', { accessToken })));
    await Promise.all(begun.map((one) => client.check(one)));
    await Promise.all(begun.map((one) => client.notify(one)));
    const ids = await Promise.all(begun.map((one) => client.clientIds(one)));
    expect(new Set(ids.map(({ body }) => body.sourceCard?.reference.clientCardId)).size).toBe(1);
  });

  it('are answered under a later token of the same consumer, and under no other', async () => {
    const { begun } = await client.complete('sale', { email: 'late@example.com' });
    const later = { ...begun, accessToken: await client.token('late@example.com') };
    expect((await client.clientIds(later)).body).toHaveProperty('sourceCard');
    expect(await client.clientIds({ ...begun, accessToken: await client.token('thief@example.com') })).toMatchObject(forbidden);
    expect(await client.clientIds({ ...begun, serialNumber: 'SN-2' })).toMatchObject(forbidden);
    expect(await client.clientIds({ ...begun, invoiceId: 'unknown' })).toMatchObject(forbidden);
  });

  it('are absent for an invoice without a card yet, and a random sum is refused', async () => {
    const begun = await client.begin('sale');
    expect((await client.clientIds(begun)).body).toStrictEqual({ invoiceId: begun.invoiceId });
    const { status, body } = await client.tellRandomSum(begun, 111);
    expect({ status, body }).toStrictEqual({
      status: 400,
      body: failure('INVALID_REQUEST', 'no card of this invoice was mapped', { invoiceId: begun.invoiceId }),
    });
  });
});

describe('callback (protocol decisions, section 6)', () => {
  const told = (clientOrderId: string, status = 'approved') => {
    const named = { status, orderId: 't0sample0order1r', clientOrderId };
    return {
      status,
      orderid: named.orderId,
      client_orderid: clientOrderId,
      merchant_order: clientOrderId,
      control: callbackControl(named, controlKey),
    };
  };
  const ends = async (clientOrderId: string) => {
    const found = await new MountableMerchantServer(settings).orderEnds.of(acme, clientOrderId as ClientOrderId);
    return found.map(({ status, orderId }) => ({ status, orderId }));
  };

  it.each(['POST', 'GET'])('by %s is recorded once', async (method) => {
    const { token: clientOrderId } = await client.begin('sale');
    const send = (facts: Record<string, string>) =>
      method === 'POST'
        ? client.send('callback', facts)
        : client.send(`callback?${new URLSearchParams(facts).toString()}`, undefined, { method });
    expect((await send(told(clientOrderId))).status).toBe(200);
    expect((await send(told(clientOrderId))).status).toBe(200);
    expect(await ends(clientOrderId)).toStrictEqual([{ status: 'approved', orderId: 't0sample0order1r' }]);
    expect((await send(told(clientOrderId, 'declined'))).status).toBe(200);
    expect((await ends(clientOrderId)).at(-1)).toStrictEqual({ status: 'declined', orderId: 't0sample0order1r' });
  });

  it('with a wrong control is forbidden, and changes nothing', async () => {
    expect(await client.send('callback', { ...told('forged'), status: 'declined' })).toMatchObject(forbidden);
    expect(await client.below('other').send('callback', told('forged'))).toMatchObject(forbidden);
    expect(await ends('forged')).toStrictEqual([]);
  });

  it.each([
    ['a digit of the order id', '123456789', '07'],
    ['a digit of the client_orderid', '12345678907', ''],
    ['all of it', '', '12345678907'],
  ])('is refused where its checksum fits another order, with %s on the other side', async (_, orderId, clientOrderId) => {
    const named = { status: 'approved', orderId: '1234567890', clientOrderId: '7' };
    const forged = { status: named.status, orderid: orderId, client_orderid: clientOrderId, control: callbackControl(named, controlKey) };
    expect(callbackControl({ ...named, orderId, clientOrderId }, controlKey)).toBe(forged.control);
    expect(await client.send('callback', forged)).toMatchObject({ status: 400, body: failure('INVALID_REQUEST') });
    expect(await ends(clientOrderId)).toStrictEqual([]);
  });

  it('of an invoice is accepted from a gateway with another form of orderid', async () => {
    const { token: clientOrderId } = await client.begin('sale');
    const named = { status: 'approved', orderId: '77', clientOrderId };
    const facts = {
      status: named.status,
      orderid: named.orderId,
      client_orderid: clientOrderId,
      control: callbackControl(named, controlKey),
    };
    expect((await client.send('callback', facts)).status).toBe(200);
    expect(await ends(clientOrderId)).toStrictEqual([{ status: 'approved', orderId: '77' }]);
  });

  it.each([
    ['a status that is not final', told('not-final', 'processing')],
    ['a missing member', { ...told('missing'), orderid: undefined }],
    ['a member that is no text', { ...told('no-text'), orderid: 1 }],
    ['a list', []],
    ['null', null],
    ['a member twice', '{"status":"approved","status":"declined"}'],
  ])('with %s is malformed', async (_, body) => {
    expect(await client.send('callback', body)).toMatchObject({ status: 400, body: failure('INVALID_REQUEST') });
  });

  it('by a query with a member twice is malformed', async () => {
    const query = new URLSearchParams(told('twice')).toString();
    expect((await client.send(`callback?${query}&status=approved`, undefined, { method: 'GET' })).status).toBe(400);
  });
});

describe('faults', () => {
  it('answers SERVER_UNAVAILABLE while the store is unavailable, and works afterwards', async () => {
    const begun = await client.begin('sale');
    store.isAway = true;
    const away = failure('SERVER_UNAVAILABLE', 'try again later');
    expect(await client.requestToken()).toMatchObject({ status: 503, body: away });
    expect(await client.initiate('sale', begun as never)).toMatchObject({ status: 503, body: away });
    expect(await client.check(begun)).toMatchObject({ status: 503, body: { ...away, invoiceId: begun.invoiceId } });
    expect(await client.notify(begun)).toMatchObject({ status: 503, body: away });
    expect((await client.send('health/ready', undefined, { method: 'GET' })).status).toBe(503);
    store.isAway = false;
    expect((await client.check(begun)).status).toBe(200);
    expect((await client.send('health/ready', undefined, { method: 'GET' })).status).toBe(200);
  });

  it.each(
    (['refused', 'stored-answer-lost', 'not-stored-answer-lost'] as const).flatMap((kind) => [
      ['first', kind] as const,
      ['second', kind] as const,
    ]),
  )('a check whose %s append is %s ends well when repeated', async (which, kind) => {
    const begun = await client.begin('sale');
    store.stumble(...(which === 'first' ? [] : [{ kind: 'rival', write: async () => undefined } as const]), { kind });
    await client.check(begun);
    const repeated = await client.check(begun);
    expect(repeated.status).toBe(200);
    expect(await client.check({ ...begun, token: systemIds.next() })).toMatchObject(forbidden);
    expect((await client.notify(begun)).status).toBe(200);
  });

  it('answers SERVER_FAILED for a bug, with no detail', async () => {
    const begun = await client.begin('sale');
    word = new Error('what only the log may know');
    const { status, body, text } = await client.check(begun);
    expect({ status, body }).toStrictEqual({
      status: 500,
      body: failure('SERVER_FAILED', 'internal error', { invoiceId: begun.invoiceId }),
    });
    expect(text).not.toContain('only the log');
    expect(logged).toContain('what only the log may know');
  });

  it('gives each error a unique code, which is in the log', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.send('sale/initiate-sale', {})));
    const codes = replies.map(({ body }) => body.error.code);
    expect(new Set(codes).size).toBe(20);
    for (const code of codes) expect(logged).toContain(`"code":"${code}"`);
  });

  it('continues after a restart, and on a second server with the same store', async () => {
    const begun = await client.begin('transfer', { email: 'restart@example.com' });
    const second = await serve();
    const first = await client.check(begun);
    expect(await second.check(begun)).toMatchObject({ status: 200, body: first.body });
    expect(await second.check({ ...begun, token: systemIds.next() })).toMatchObject(forbidden);
    const acknowledged = await second.notify(begun);
    expect(await client.notify(begun)).toMatchObject({ status: 200, body: acknowledged.body });
    expect((await client.clientIds(begun)).body).toStrictEqual((await second.clientIds(begun)).body);
  });

  it('finds no product beyond its own, and no path beyond the interface', async () => {
    expect((await client.below('nobody').requestToken()).status).toBe(404);
    expect((await client.send('sale/initiate')).status).toBe(404);
    expect((await client.below('acme').requestToken()).status).toBe(200);
  });

  const written = async (): Promise<string> => {
    const subscription = memory.subscribe('all', 'start');
    const seen: string[] = [];
    for await (const item of subscription) {
      if (item.kind === 'caught-up') break;
      if (item.kind === 'event') seen.push(item.event.stream, item.event.data, item.event.metadata);
    }
    await subscription.cancel();
    return seen.join('\n');
  };

  it('stores no token, nonce, e-mail or serial number in clear (safety, section 5.1)', async () => {
    const { begun } = await client.complete('sale', { email: 'canary@example.com', serialNumber: 'SN-canary' });
    const text = await written();
    expect(text).toContain(begun.invoiceId);
    for (const secret of [begun.accessToken, begun.nonce, begun.token, begun.signature, 'canary@example.com', 'SN-canary']) {
      expect(text).not.toContain(secret);
      expect(logged).not.toContain(secret);
    }
  });

  it('stores no random sum that a reader of the log could present as the cardholder (safety, T36)', async () => {
    const who = { email: 'sums@example.com' };
    const [toldByApp, toldByProduct] = [70_717_071, 90_919_091];
    const { begun, source } = await client.complete('verification', who);
    expect((await client.tellRandomSum(begun, toldByApp)).status).toBe(200);
    const again = await client.begin('sale', who);
    const checked = await client.check(again, { sourceOfFunds: byReference(source) });
    expect(checked.body.transaction.randomSumCentis).toBe(toldByApp);
    word = { kind: 'go-on', randomSumCentis: toldByProduct };
    expect((await client.check(await client.begin('sale', who))).body.transaction.randomSumCentis).toBe(toldByProduct);
    const text = await written();
    expect(text).toContain(source);
    for (const sum of [toldByApp, toldByProduct]) {
      expect(text).not.toContain(String(sum));
      expect(logged).not.toContain(String(sum));
    }
  });

  it('reads and appends no more than each operation needs', async () => {
    const cost = async (work: () => Promise<unknown>) => {
      const { reads, appends } = store;
      await work();
      return { reads: store.reads - reads, appends: store.appends - appends };
    };
    const accessToken = await client.token('cost@example.com');
    const first = await client.begin('sale', { accessToken });
    expect(await cost(() => client.initiate('sale', { accessToken }))).toStrictEqual({ reads: 1, appends: 1 });
    expect(await cost(() => client.check(first))).toStrictEqual({ reads: 1, appends: 2 });
    expect(await cost(() => client.notify(first))).toStrictEqual({ reads: 4, appends: 2 });
    const again = await client.begin('sale', { accessToken });
    await client.check(again);
    expect(await cost(() => client.notify(again))).toStrictEqual({ reads: 4, appends: 1 });
    expect(await cost(() => client.notify(again))).toStrictEqual({ reads: 3, appends: 0 });
  });
});

describe("mounted in a product's own server", () => {
  @Module({ imports: [MerchantServerModule.register({ ...settings, log, random: systemRandom })] })
  class ProductServer {}

  it('reads the bytes that Nest keeps', async () => {
    const mounted = await listening(await NestFactory.create(ProductServer, { rawBody: true, logger: false }));
    expect((await mounted.complete('sale', { email: 'mounted@example.com' })).source).not.toBe('');
    const twice = await mounted.send('sale/initiate-sale', '{"session":{},"session":{}}');
    expect(twice).toMatchObject({ status: 400, body: failure('INVALID_REQUEST') });
  });

  it('runs before the guards of the product, below its prefix, and leaves every other path to it', async () => {
    @Controller('own')
    class OwnController {
      @Get()
      own(): string {
        return 'own';
      }
    }
    @Module({ imports: [MerchantServerModule.register({ ...settings, log })], controllers: [OwnController] })
    class GuardedServer {}

    const guarded = await NestFactory.create(GuardedServer, { rawBody: true, logger: false });
    let asked = 0;
    guarded.setGlobalPrefix('pay');
    guarded.useGlobalGuards({ canActivate: () => ++asked > 1 });
    const mounted = (await listening(guarded)).below('pay');
    expect((await mounted.complete('sale', { email: 'guarded@example.com' })).source).not.toBe('');
    expect(asked).toBe(0);
    const own = () => mounted.send('own', undefined, { method: 'GET' });
    expect((await own()).status).toBe(403);
    expect(await own()).toMatchObject({ status: 200, text: 'own' });
    expect((await mounted.send('sale/initiate', {})).status).toBe(404);
  });

  it('names the missing option where Nest discarded the bytes', async () => {
    const mounted = await listening(await NestFactory.create(ProductServer, { logger: false }));
    expect(await mounted.send('sale/initiate-sale', {})).toMatchObject({ status: 500, body: failure('SERVER_FAILED', 'internal error') });
    expect(logged).toContain('create the application with { rawBody: true }');
    expect((await mounted.requestToken()).status).toBe(200);
  });
});
