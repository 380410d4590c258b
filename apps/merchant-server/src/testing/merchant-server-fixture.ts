import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { NestFactory } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { createKeyRing } from '@app/card-vault';
import { productsFrom } from '@app/configuration';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/http/server';
import { systemScheduler } from '@app/kernel';
import type { MerchantServerSettings, ProductDecision, ServedMerchantServerRequest } from '@app/merchant-server';
import { VirtualClock } from '@app/testing';
import { HttpClient } from '../../../../test/support/http/http-client';
import { MerchantServerClient } from '../../../../test/support/devices/merchant-server-client';
import { AppModule } from '../app.module';
import { StoreReadiness } from '../store-readiness';
import { MerchantMetrics } from '../merchant-metrics';
import { OperatorModule } from '../operator.module';

export { byReference, MerchantServerClient, SAMPLE_CARD, type Begun } from '../../../../test/support/devices/merchant-server-client';

export const TOKEN_SECRET = 'a-shared-secret-of-32-characters';
export const CALLBACK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const products = productsFrom(
  JSON.stringify({
    products: [
      {
        login: 'acme',
        controlKey: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
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
        tokenSecret: TOKEN_SECRET,
        endpoints: [{ id: '2001', currency: 'USD' }],
      },
      {
        login: 'signed',
        controlKey: '0F0E0D0C-0B0A-0908-0706-050403020100',
        tokenSecret: TOKEN_SECRET,
        callback: { secret: CALLBACK_SECRET },
        endpoints: [{ id: '3001', currency: 'USD' }],
      },
      {
        login: 'unsigned',
        controlKey: '1F0E0D0C-0B0A-0908-0706-050403020100',
        tokenSecret: TOKEN_SECRET,
        unsignedNotifications: true,
        endpoints: [{ id: '4001', currency: 'USD' }],
      },
    ],
  }),
  { source: 'test', folder: '/', environment: {} },
);

export const [acme] = products.all;

/** An empty answer, which reveals nothing to an app. */
export const forbidden = { status: 403, text: '' };

export const failure = (cause: string, message: unknown = expect.any(String) as unknown, more: object = {}) => ({
  error: { cause, code: expect.stringMatching(/^\d{16}$/) as unknown, message },
  ...more,
});

const addressOf = (app: INestApplication): string => {
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  return `http://127.0.0.1:${port}`;
};

class MerchantServerUnderTest {
  readonly clock = new VirtualClock();
  readonly memory = new MemoryEventStore(this.clock);
  /** The same events; a test can make it unavailable. */
  readonly store = new StumblingStore(this.memory);
  readonly metrics = new MerchantMetrics();
  /** The product's answer to the next checks. */
  decision: ProductDecision | Error = { kind: 'go-on' };
  logged = '';
  readonly log = new ServiceLog(
    'info',
    new Writable({ write: (chunk: Buffer, _, done) => ((this.logged += String(chunk)), done()) }),
    'test',
  );
  readonly settings: MerchantServerSettings;
  readonly #folder = mkdtempSync(join(tmpdir(), 'merchant-server-'));
  readonly #opened: { close(): Promise<unknown> }[] = [];
  #baseUrl = '';
  readonly #http = new HttpClient(() => this.#baseUrl);
  readonly client = new MerchantServerClient(this.#http);

  constructor() {
    this.settings = {
      products,
      store: this.store,
      keyRing: createKeyRing(join(this.#folder, 'keyring.json')),
      isProduction: false,
      clock: this.clock,
      checks: {
        check: async () => {
          if (this.decision instanceof Error) throw this.decision;
          return this.decision;
        },
      },
    };
  }

  async start(): Promise<void> {
    const app = await this.#application({});
    await app.listen(0, '127.0.0.1');
    this.#baseUrl = addressOf(app);
    this.#opened.push(app, this.#http);
  }

  /** A further server over the same log. @param more replaces settings */
  async serve(more: Partial<MerchantServerSettings> = {}): Promise<MerchantServerClient> {
    return this.listen(await this.#application(more));
  }

  async listen(app: INestApplication): Promise<MerchantServerClient> {
    return new MerchantServerClient(await this.#clientOf(app));
  }

  async serveOperators(): Promise<HttpClient> {
    const module = OperatorModule.over({ readiness: this.#readiness(), metrics: this.metrics });
    return this.#clientOf(await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: false }));
  }

  /** Every stored stream name, event and metadata, to search for secrets. */
  async storedText(): Promise<string> {
    const subscription = this.memory.subscribe('all', 'start');
    const texts: string[] = [];
    for await (const item of subscription) {
      if (item.kind === 'caught-up') break;
      if (item.kind === 'event') texts.push(item.event.stream, item.event.data, item.event.metadata);
    }
    await subscription.cancel();
    return texts.join('\n');
  }

  reset(): void {
    this.decision = { kind: 'go-on' };
    this.store.isAway = false;
  }

  async close(): Promise<void> {
    for (const opened of this.#opened.reverse()) await opened.close();
    rmSync(this.#folder, { recursive: true });
  }

  async #application(more: Partial<MerchantServerSettings>): Promise<INestApplication> {
    const onServed = (request: ServedMerchantServerRequest): void => this.metrics.served(request);
    const module = AppModule.over({ server: { ...this.settings, ...more, log: this.log, onServed }, readiness: this.#readiness() });
    const app = await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: false });
    app.useGlobalFilters(new PlainExceptionFilter(this.log));
    return app;
  }

  #readiness(): StoreReadiness {
    return new StoreReadiness(this.store, systemScheduler, () => undefined);
  }

  async #clientOf(app: INestApplication): Promise<HttpClient> {
    await app.listen(0, '127.0.0.1');
    const client = new HttpClient(() => addressOf(app));
    this.#opened.push(app, client);
    return client;
  }
}

export const merchantServerUnderTest = (): MerchantServerUnderTest => {
  const server = new MerchantServerUnderTest();
  beforeAll(() => server.start());
  afterEach(() => server.reset());
  afterAll(() => server.close());
  return server;
};
