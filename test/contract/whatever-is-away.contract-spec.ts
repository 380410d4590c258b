import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { noFailpoints, type Deadline } from '@app/kernel';
import { configurationFrom, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/http-server';
import { eventually, settle, type VirtualClock } from '@app/testing';
import { Service } from '../../apps/orchestrator/src/composition/service';
import { PublicModule } from '../../apps/orchestrator/src/public.module';
import { cardOf, Device, type Initiated } from '../support/device';
import { HttpClient } from '../support/http-client';
import { Merchant, SANDBOX_CONTROL_KEY, type Accepted } from '../support/merchant';
import { sandboxConfiguration } from '../support/sandbox-configuration';
import { ScriptedMerchant } from '../support/scripted-merchant';

jest.setTimeout(60_000);

/** One process without workers: nobody but the request that is tested asks the stores. What answers nothing, as `store.operation`, and how often it was asked since. */
const mockStalled = new Map<string, number>();
let mockClock: VirtualClock;

/** Operations that nobody has told that the time of their request is over. */
let mockHeld = 0;

/** The deadline among what an operation was given, or among its options. */
const mockDeadlineIn = (parameters: readonly unknown[]): Deadline | undefined => {
  const isDeadline = (value: unknown): value is Deadline => typeof value === 'object' && value !== null && 'whenOver' in value;
  const options = parameters.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []) as unknown[]);
  return [...parameters, ...options].find(isDeadline);
};

/** Holds what it holds until its deadline is over, as a store does; an append until the milliseconds are over that it was given. */
const mockHold = (operation: string, parameters: readonly unknown[]): void => {
  mockHeld += 1;
  const release = (): void => void (mockHeld -= 1);
  const limitMs = parameters.at(-1);
  if (operation === 'log.append' && typeof limitMs === 'number') mockClock.after(limitMs, release);
  else mockDeadlineIn(parameters)?.whenOver(release);
};

/** Asked for one of those, it never answers. */
const mockStalling = <Store extends object>(store: Store, name: string): Store =>
  new Proxy(store, {
    get: (target, property) => {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]): unknown => {
        const operation = `${name}.${String(property)}`;
        const asked = mockStalled.get(operation);
        if (asked === undefined) return Reflect.apply(member, target, parameters);
        mockStalled.set(operation, asked + 1);
        mockHold(operation, parameters);
        const never = new Promise(() => undefined);
        return property === 'read' ? { [Symbol.asyncIterator]: () => ({ next: () => never }) } : never;
      };
    },
  });

jest.mock('../../apps/orchestrator/src/composition/stores', () => {
  const actual = jest.requireActual<typeof import('../../apps/orchestrator/src/composition/stores')>(
    '../../apps/orchestrator/src/composition/stores',
  );
  return {
    ...actual,
    openStores: async (...parameters: Parameters<typeof actual.openStores>) => {
      const { log, vault } = await actual.openStores(...parameters);
      return { log: { ...log, store: mockStalling(log.store, 'log') }, vault: mockStalling(vault, 'vault') };
    },
  };
});

jest.mock('@app/projections', () => {
  const actual = jest.requireActual<typeof import('@app/projections')>('@app/projections');
  return {
    ...actual,
    openReadModel: async (...parameters: Parameters<typeof actual.openReadModel>) => {
      const readModel = await actual.openReadModel(...parameters);
      const parts = { orders: mockStalling(readModel.orders, 'orders'), search: mockStalling(readModel.search, 'search') };
      return new Proxy(readModel, {
        get: (target, property) => {
          if (property === 'orders' || property === 'search') return parts[property];
          const member: unknown = Reflect.get(target, property);
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        },
      });
    },
  };
});

jest.mock('@app/event-store', () => {
  const actual = jest.requireActual<typeof import('@app/event-store')>('@app/event-store');
  const { VirtualClock: Clock } = jest.requireActual<typeof import('@app/testing')>('@app/testing');
  return {
    ...actual,
    RequestDeadlines: class extends actual.RequestDeadlines {
      constructor() {
        const clock = new Clock();
        super(clock, clock);
        mockClock = clock;
      }
    },
  };
});

const folder = mkdtempSync(join(tmpdir(), 'whatever-is-away-'));
const lines: string[] = [];
let service: Service;
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
  const destination = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) });
  service = await Service.open({
    environment,
    configuration,
    switches: { failpoints: noFailpoints, commitDelayMs: undefined, groupJobsMax: undefined, silentGate: undefined },
    log: new ServiceLog('error', destination),
    onBroken: (error) => {
      throw error;
    },
  });
  app = await NestFactory.create(PublicModule.over(service.publicParts), new LimitedExpressAdapter(), {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new PlainExceptionFilter(new ServiceLog('error', destination)));
  app.setGlobalPrefix('paynet');
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  client = new HttpClient(() => `http://127.0.0.1:${port}`);
  merchant = new Merchant(client);
  device = new Device(client, server, SANDBOX_CONTROL_KEY);

  sale = await merchant.approvedSale();
  preauth = await merchant.approved(merchant.preauth());
  cardRefId = await merchant.registeredCard();
  // So that numbers for orders of this kind are at hand, which are reserved by an append that is no request's own.
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
  mockStalled.clear();
  await app.close();
  await service.stop();
  await client.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  mockStalled.clear();
  mockHeld = 0;
});

const initiated = (): Initiated =>
  device.initiate({ operation: 'sale', endpointId: '1001', amountCentis: 1_042, body: { sourceOfFunds: { card: cardOf('123') } } });

/** The answer to what meets a store that never answers, once the request's time is over; nothing of it is held by then. */
const answerOver = async <Answer>(stalled: string, ask: () => Promise<Answer>): Promise<Answer> => {
  mockStalled.set(stalled, 0);
  const asking = ask();
  asking.catch(() => undefined);
  await eventually(() => (mockStalled.get(stalled) ?? 0) > 0);
  expect(mockHeld).toBeGreaterThan(0);
  await settle();
  await mockClock.advance(9_999);
  const answer = await asking;
  expect(mockHeld).toBe(0);
  return answer;
};

describe('a request is answered within ten seconds, whatever is away, and holds nothing then', () => {
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
  ])('Group A, %s, %s: code %s', async (_operation, stalled, code, ask) => {
    const { fields } = await answerOver(stalled, ask);
    expect(fields).toMatchObject({ type: 'error', 'error-code': code });
  });

  it('Group A, status, a row of the read model: answered from the log', async () => {
    mockStalled.set('orders.byStream', 0);
    expect((await merchant.status(sale)).fields).toMatchObject({ type: 'status-response', status: 'approved' });
    expect(mockStalled.get('orders.byStream')).toBe(1);
    // Given up after half a second, long before the request's time is over.
    expect(mockHeld).toBe(0);
  });

  it.each<[string, string, () => Promise<{ readonly json: Readonly<Record<string, unknown>> }>]>([
    ['perform', 'log.read', () => device.perform(initiated())],
    ['perform', 'log.append', () => device.perform(initiated())],
    ['perform', 'vault.keep', () => device.perform(initiated())],
    ['perform', 'vault.takeKey', () => device.perform(initiated())],
    ['status', 'log.read', () => device.status(performed, token)],
    ['complete', 'log.read', () => device.complete(performed, token, 'sim-a')],
  ])('Group B, %s, %s: INTERNAL_ERROR', async (_operation, stalled, ask) => {
    const { json } = await answerOver(stalled, ask);
    expect(json).toMatchObject({ error: { cause: 'INTERNAL_ERROR' } });
  });

  it.each<[string, string, () => string]>([
    ['the payer’s page', 'log.read', () => payerPath],
    ['the payer’s page', 'vault.unseal', () => payerPath],
    ['a receipt', 'search.streamsNamed', () => receiptPath],
    ['a receipt', 'log.head', () => receiptPath],
  ])('%s, %s: a page with 503', async (_page, stalled, path) => {
    const { status, headers } = await answerOver(stalled, () => client.request(path()));
    expect([status, headers['content-type']]).toStrictEqual([503, 'text/html;charset=utf-8']);
  });
});
