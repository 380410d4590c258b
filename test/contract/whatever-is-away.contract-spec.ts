import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import type { INestApplication } from '@nestjs/common';
import type { Deadline } from '@app/kernel';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { configurationFrom, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/http/server';
import { RequestDeadlines } from '@app/event-store';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import type { ReadModel } from '@app/read-models';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { eventually, settle, VirtualClock } from '@app/testing';
import { openApp } from '../../apps/orchestrator/src/testing/opened-app';
import { cardOf, Device, type Initiated } from '../support/devices/device';
import { HttpClient } from '../support/http/http-client';
import { Merchant, type Accepted } from '../support/merchants/merchant';
import { SANDBOX_CONTROL_KEY } from '../support/merchants/signed-requests';
import { sandboxConfiguration } from '../support/processes/sandbox-configuration';
import { ScriptedMerchant } from '../support/devices/scripted-merchant';

jest.setTimeout(60_000);

/** Calls per stalled `store.operation`. The process has no workers, so only the tested request calls the stores. */
const stalled = new Map<string, number>();
const requestClock = new VirtualClock();

let held = 0;

const deadlineIn = (parameters: readonly unknown[]): Deadline | undefined => {
  const isDeadline = (value: unknown): value is Deadline => typeof value === 'object' && value !== null && 'whenOver' in value;
  const options = parameters.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []) as unknown[]);
  return [...parameters, ...options].find(isDeadline);
};

const hold = (operation: string, parameters: readonly unknown[]): void => {
  held += 1;
  const release = (): void => void (held -= 1);
  const limitMs = parameters.at(-1);
  if (operation === 'log.append' && typeof limitMs === 'number') requestClock.after(limitMs, release);
  else deadlineIn(parameters)?.whenOver(release);
};

const makeStallable = (part: object, name: string): void => {
  const members = part as Record<string, unknown>;
  for (const property of Object.getOwnPropertyNames(Object.getPrototypeOf(part))) {
    const member = members[property];
    if (typeof member !== 'function' || property === 'constructor') continue;
    members[property] = (...parameters: unknown[]): unknown => {
      const operation = `${name}.${property}`;
      const asked = stalled.get(operation);
      if (asked === undefined) return Reflect.apply(member, part, parameters) as unknown;
      stalled.set(operation, asked + 1);
      hold(operation, parameters);
      const never = new Promise(() => undefined);
      return property === 'read' ? { [Symbol.asyncIterator]: () => ({ next: () => never }) } : never;
    };
  }
};

const folder = mkdtempSync(join(tmpdir(), 'whatever-is-away-'));
let app: INestApplication;
let client: HttpClient;
let server: ScriptedMerchant;
let merchant: Merchant;
let device: Device;
let sale: Accepted;
let preauth: Accepted;
let cardRefId: string;
let payerPath: string;
let receiptPath: string;
let performed: Initiated;
let token: string;

beforeAll(async () => {
  server = await ScriptedMerchant.start(SANDBOX_CONTROL_KEY);
  const environment = readEnvironment({ DATA_DIR: folder, ROLES: 'api' }, packageRoot());
  const configuration = configurationFrom(
    JSON.stringify(sandboxConfiguration({ ports: [server.port], acme: { merchantUrl: server.url } })),
    {
      source: 'the test',
      folder: resolve('.'),
      environment: {},
      adapters: GATE_ADAPTERS,
    },
  );
  const deadlines = new RequestDeadlines(requestClock, requestClock);
  const { app: service } = await openApp(environment, configuration, (building) =>
    building.overrideProvider(RequestDeadlines).useValue(deadlines),
  );
  makeStallable(service.get(EVENT_STORE, { strict: false }), 'log');
  makeStallable(service.get(CARD_VAULT, { strict: false }), 'vault');
  const { orders, search } = service.get<ReadModel>(READ_MODEL, { strict: false });
  makeStallable(orders, 'orders');
  makeStallable(search, 'search');
  app = service.createNestApplication(new LimitedExpressAdapter(), { bodyParser: false, logger: false });
  app.useGlobalFilters(new PlainExceptionFilter(new ServiceLog('error', new Writable({ write: (_chunk, _encoding, done) => done() }))));
  app.setGlobalPrefix('paynet');
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  client = new HttpClient(() => `http://127.0.0.1:${port}`);
  merchant = new Merchant(client);
  device = new Device(client, server, SANDBOX_CONTROL_KEY);

  sale = await merchant.approvedSale();
  preauth = await merchant.approved(merchant.preauth());
  cardRefId = await merchant.registeredCard();
  // Reserves numbers for orders of this kind first, in an append that belongs to no request.
  await merchant.accepted(merchant.rebill(cardRefId));
  const { 'receipt-id': receiptId = '' } = (await merchant.status(sale)).fields;
  receiptPath = `/paynet/view-receipt/1001/${receiptId}/`;
  const challenged = await merchant.accepted(merchant.sale({ cvv2: '321' }, { at: '1003' }));
  const { 'redirect-to': page = '' } = await merchant.statusWhen(challenged, (fields) => fields['redirect-to'] !== undefined, 'a page');
  payerPath = new URL(page).pathname;
  performed = initiated();
  token = await device.performed(performed);
  await device.statusWhen(performed, token, 'APPROVED');
}, 60_000);

afterAll(async () => {
  stalled.clear();
  await app.close();
  await client.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  stalled.clear();
  held = 0;
});

const initiated = (): Initiated =>
  device.initiate({ operation: 'sale', endpointId: '1001', amountCentis: 1_042, body: { sourceOfFunds: { card: cardOf('123') } } });

/** The answer to a request whose store never answers. When its deadline has passed, no operation may still be held. */
const answerOver = async <Answer>(operation: string, ask: () => Promise<Answer>): Promise<Answer> => {
  stalled.set(operation, 0);
  const asking = ask();
  asking.catch(() => undefined);
  await eventually(() => (stalled.get(operation) ?? 0) > 0);
  expect(held).toBeGreaterThan(0);
  await settle();
  await requestClock.advance(9_999);
  const answer = await asking;
  expect(held).toBe(0);
  return answer;
};

describe('a request is answered within ten seconds if a store stalls, and then releases its resources', () => {
  it.each<[string, string, string, () => Promise<{ readonly fields: Readonly<Record<string, string>> }>]>([
    ['sale', 'log.read', '20', () => merchant.sale()],
    ['sale', 'log.append', '21', () => merchant.sale()],
    ['sale', 'vault.keep', '20', () => merchant.sale()],
    ['sale', 'vault.takeKey', '20', () => merchant.sale()],
    ['keyed sale', 'log.read', '21', () => merchant.sale({}, { headers: { 'idempotency-key': '"k-1"' } })],
    ['keyed sale', 'log.append', '21', () => merchant.sale({}, { headers: { 'idempotency-key': '"k-2"' } })],
    ['status', 'log.read', '20', () => merchant.status(sale)],
    ['status', 'vault.unseal', '20', () => merchant.status(sale)],
    ['return', 'log.read', '20', () => merchant.followUp('return', sale)],
    ['return', 'log.append', '21', () => merchant.followUp('return', sale)],
    ['return with a comment', 'vault.takeKey', '20', () => merchant.followUp('return', sale, { comment: 'worn' })],
    ['capture', 'log.append', '21', () => merchant.followUp('capture', preauth)],
    ['create-card-ref', 'log.read', '20', () => merchant.createCardRef(sale)],
    ['create-card-ref', 'log.append', '21', () => merchant.createCardRef(sale)],
    ['get-card-info', 'log.read', '20', () => merchant.cardInfo(cardRefId)],
    ['make-rebill-sale', 'log.read', '20', () => merchant.rebill(cardRefId)],
    ['make-rebill-sale', 'log.append', '21', () => merchant.rebill(cardRefId)],
    ['make-rebill-sale', 'vault.takeKey', '20', () => merchant.rebill(cardRefId)],
  ])('Group A, %s, stalled %s: answers code %s', async (_operation, stalled, code, ask) => {
    const { fields } = await answerOver(stalled, ask);
    expect(fields).toMatchObject({ type: 'error', 'error-code': code });
  });

  it.each<[string, string, () => Promise<{ readonly json: Readonly<Record<string, unknown>> }>]>([
    ['perform', 'log.read', () => device.perform(initiated())],
    ['perform', 'log.append', () => device.perform(initiated())],
    ['perform', 'vault.keep', () => device.perform(initiated())],
    ['perform', 'vault.takeKey', () => device.perform(initiated())],
    ['status', 'log.read', () => device.status(performed, token)],
    ['complete', 'log.read', () => device.complete(performed, token, 'sim-a')],
  ])('Group B, %s, stalled %s: answers INTERNAL_ERROR', async (_operation, stalled, ask) => {
    const { json } = await answerOver(stalled, ask);
    expect(json).toMatchObject({ error: { cause: 'INTERNAL_ERROR' } });
  });

  it.each<[string, string, () => string]>([
    ['the payer’s page', 'log.read', () => payerPath],
    ['the payer’s page', 'vault.unseal', () => payerPath],
    ['a receipt', 'search.streamsNamed', () => receiptPath],
    ['a receipt', 'log.head', () => receiptPath],
  ])('%s, stalled %s: answers a page with status 503', async (_page, stalled, path) => {
    const { status, headers } = await answerOver(stalled, () => client.request(path()));
    expect([status, headers['content-type']]).toStrictEqual([503, 'text/html;charset=utf-8']);
  });
});
