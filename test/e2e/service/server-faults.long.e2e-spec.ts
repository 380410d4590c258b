import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, createSecureServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrderId } from '@app/kernel';
import { openRelay, type Relay } from '@app/databases/testing';
import { loseLog } from '../../support/crash/runs/replica-run';
import { Merchant } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import { runAll } from '../../support/processes/production-databases';
import { API, Replicas, WORKER } from '../../support/processes/replicas';
import { runToEnd } from '../../support/processes/run-to-end';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { selfSigned } from '../../support/processes/self-signed';
import { ServerStores } from '../../support/processes/server-stores';
import { until } from '../../support/until';

jest.setTimeout(120_000);

const LOAD_SEED = 20_242;
const READY_TIMEOUT_MS = 30_000;
/** Half a second plus a margin for a busy machine. Time-outs of the database itself begin at three seconds. */
const SILENCE_HELD_MS_MAX = 2_500;
const PASSWORD = 'pa55word-of-nobody';

describe('an unusable store stops the start with one line that names store and cause', () => {
  let stores: ServerStores;
  let folder: string;
  const servers: Http2Server[] = [];

  beforeAll(async () => {
    stores = await ServerStores.start();
    folder = mkdtempSync(join(tmpdir(), 'server-faults-'));
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await stores.stop();
    rmSync(folder, { recursive: true });
  });

  const refusing = async (status: number, exception?: string): Promise<string> => {
    const server = createServer();
    server.on('stream', (stream: ServerHttp2Stream) => {
      const trailers = { 'grpc-status': String(status), ...(exception !== undefined && { exception }) };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
      stream.resume();
    });
    return listening(server);
  };
  const listening = async (server: Http2Server): Promise<string> => {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const databaseUrl = (setting: 'READ_MODEL_URL' | 'VAULT_URL', change: (url: URL) => void): string => {
    const url = new URL(stores.environment[setting] ?? '');
    change(url);
    return url.href;
  };

  it.each<[string, RegExp, () => Promise<Readonly<Record<string, string>>>]>([
    [
      'EventStoreDB: nothing listens',
      /event store 127\.0\.0\.1:9: nothing listens there/,
      () => Promise.resolve({ EVENTSTORE_URL: `esdb://payments:${PASSWORD}@127.0.0.1:9?tls=false` }),
    ],
    [
      'EventStoreDB: a wrong password',
      /event store 127\.0\.0\.1:\d+: the user name or password is wrong/,
      async () => ({ EVENTSTORE_URL: `esdb://payments:${PASSWORD}@${await refusing(16)}?tls=false` }),
    ],
    [
      'EventStoreDB: no right to read $all',
      /event store 127\.0\.0\.1:\d+: this user lacks a permission/,
      async () => ({ EVENTSTORE_URL: `esdb://payments:${PASSWORD}@${await refusing(7, 'access-denied')}?tls=false` }),
    ],
    [
      'EventStoreDB: a certificate without a trusted authority',
      /event store localhost:\d+: its certificate is not trusted/,
      async () => {
        const { key, certificate } = selfSigned('a server');
        const address = await listening(createSecureServer({ key, cert: certificate }));
        // By name, because Node warns if a TLS server is addressed by IP.
        return { EVENTSTORE_URL: `esdb://payments:${PASSWORD}@${address.replace('127.0.0.1', 'localhost')}` };
      },
    ],
    ...(['READ_MODEL_URL', 'VAULT_URL'] as const).flatMap((setting): [string, RegExp, () => Promise<Record<string, string>>][] => [
      [
        `${setting}: a wrong password`,
        /PostgreSQL at 127\.0\.0\.1:\d+, database \w+: user \w+ is refused: wrong password/,
        () => Promise.resolve({ [setting]: databaseUrl(setting, (url) => (url.password = PASSWORD)) }),
      ],
      [
        `${setting}: no such database`,
        /PostgreSQL at 127\.0\.0\.1:\d+, database nowhere: there is no database nowhere/,
        () => Promise.resolve({ [setting]: databaseUrl(setting, (url) => (url.pathname = '/nowhere')) }),
      ],
      [
        `${setting}: nothing listens`,
        /PostgreSQL at 127\.0\.0\.1:9, database \w+: nothing listens on port 9/,
        () => Promise.resolve({ [setting]: databaseUrl(setting, (url) => (url.port = '9')) }),
      ],
    ]),
  ])('%s', async (_title, line, environment) => {
    const { code, stderr, stdout } = await runToEnd({
      // One key ring for all, because the vault accepts only the ring that it was created with.
      environment: { ...stores.environment, VAULT_KEYRING: join(folder, 'keyring.json'), ...(await environment()) },
      configurationText: JSON.stringify(sandboxConfiguration()),
    });
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(line);
    for (const secret of [PASSWORD, ...Object.values(stores.environment).map((url) => new URL(url).password)])
      if (secret !== '') expect(stderr + stdout).not.toContain(secret);
    expect(stdout).not.toContain('"event":"started"');
  });

  it.each([
    ['READ_MODEL_URL', 'read_model'],
    ['VAULT_URL', 'card_vault'],
  ])('%s: the schema belongs to a newer release', async (setting, schema) => {
    const own = await ServerStores.start();
    try {
      const url = own.environment[setting] ?? '';
      await runAll(
        url,
        'create table schema_versions (name text primary key, version integer not null)',
        `insert into schema_versions values ('${schema}', 999)`,
      );
      const { code, stderr } = await runToEnd({ environment: own.environment, configurationText: JSON.stringify(sandboxConfiguration()) });
      expect(code).toBe(1);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(stderr).toMatch(/schema 999 is newer than this release knows/);
    } finally {
      await own.stop();
    }
  });
});

it('a log outage of some seconds under load loses and duplicates no order, and processing resumes', async () => {
  const { faults, refusals } = await loseLog(LOAD_SEED);
  expect(faults).toStrictEqual([]);
  expect(refusals).toBeGreaterThan(0);
});

describe('a store outage in a running service', () => {
  let replicas: Replicas;
  let readModels: Relay;
  let vaults: Relay;
  let acme: Merchant;

  beforeAll(async () => {
    replicas = await Replicas.start({ configuration: sandboxConfiguration(), processes: [], stores: await ServerStores.start() });
    readModels = await openRelay(replicas.stores.databases.readModelUrl);
    vaults = await openRelay(replicas.stores.databases.vaultUrl);
    const led = { READ_MODEL_URL: readModels.url, VAULT_URL: vaults.url };
    await replicas.add({ ...API, ...led }, { ...WORKER, ...led });
    acme = new Merchant(replicas);
  });
  afterAll(async () => {
    await replicas.dispose();
    await Promise.all([readModels.close(), vaults.close()]);
  });

  afterEach(async () => {
    for (const relay of [readModels, vaults]) relay.set('open');
    await readyAgain();
  });

  const readiness = async (): Promise<{
    readonly status: number;
    readonly stores: Readonly<Record<string, { readonly isReady: boolean }>>;
  }> => {
    const { status, body } = await replicas.at(0).request('/health/ready');
    return { status, stores: (JSON.parse(body) as { stores: Record<string, { isReady: boolean }> }).stores };
  };
  const readyAgain = async (): Promise<void> => {
    for (const service of replicas.services) {
      const isReady = async (): Promise<boolean> => (await service.request('/health/ready')).status === 200;
      await until(isReady, { what: 'readiness', timeoutMs: READY_TIMEOUT_MS });
    }
  };
  const chargesOf = ({ orderId }: Order): number => {
    const ledger = replicas.ledger();
    try {
      return ledger.approvedChargesByOrder().get(orderId as OrderId) ?? 0;
    } finally {
      ledger.close();
    }
  };
  const takenNow = async (requests: readonly Fields[]): Promise<void> => {
    await readyAgain();
    for (const request of requests) {
      const order = await acme.accepted(acme.sale(request));
      expect(await acme.finalStatus(order)).toMatchObject({ status: 'approved' });
      expect(chargesOf(order)).toBe(1);
    }
  };
  const sales = (): readonly Fields[] => [acme.saleFields(), acme.saleFields({ cvv2: undefined })];

  it('of the log answers code 20 and accepts nothing, and processing resumes afterwards', async () => {
    const { wire } = replicas.stores;
    if (wire === undefined) throw new Error('only a wire server can be killed');
    const known = await acme.approvedSale();
    const refused = sales();
    await wire.kill();
    const written = wire.log.length;
    // Concurrent, because each waits as long as the log is retried.
    const [health, ...answers] = await Promise.all([readiness(), acme.status(known), ...refused.map((request) => acme.sale(request))]);
    for (const { fields } of answers) expect(fields).toMatchObject({ type: 'error', 'error-code': '20' });
    expect(health).toMatchObject({ status: 503, stores: { events: { isReady: false }, vault: { isReady: true } } });
    expect(wire.log.length).toBe(written);
    await wire.start();
    expect(await acme.finalStatus(known)).toMatchObject({ status: 'approved' });
    await takenNow(refused);
  });

  it('of the read models still accepts orders, and status is read from the log', async () => {
    const known = await acme.approvedSale();
    readModels.set('closed');
    expect((await acme.status(known)).fields).toMatchObject({ type: 'status-response', status: 'approved' });
    const taken = await acme.approvedSale();
    const waiting = await acme.accepted(acme.sale({ cvv2: undefined }));
    expect((await acme.status(waiting)).fields).toMatchObject({ status: 'processing' });
    expect(await readiness()).toMatchObject({ status: 503, stores: { events: { isReady: true }, readModel: { isReady: false } } });
    readModels.set('open');
    await readyAgain();
    expect(await acme.finalStatus(waiting)).toMatchObject({ status: 'approved' });
    expect([known, taken, waiting].map(chargesOf)).toStrictEqual([1, 1, 1]);
  });

  it('of read models that do not respond delays no request, and status is read from the log', async () => {
    const known = await acme.approvedSale();
    readModels.set('silent');
    const askedAt = performance.now();
    expect((await acme.status(known)).fields).toMatchObject({ type: 'status-response', status: 'approved' });
    expect(performance.now() - askedAt).toBeLessThan(SILENCE_HELD_MS_MAX);
    readModels.set('closed');
  });

  it('of the vault answers code 20 and accepts nothing, and processing resumes afterwards', async () => {
    const refused = sales();
    vaults.set('closed');
    for (const request of refused) expect((await acme.sale(request)).fields).toMatchObject({ type: 'error', 'error-code': '20' });
    expect(await readiness()).toMatchObject({ status: 503, stores: { events: { isReady: true }, vault: { isReady: false } } });
    for (const { client_orderid: clientOrderId = '' } of refused)
      expect((await acme.status({ clientOrderId })).fields).toMatchObject({ type: 'validation-error' });
    vaults.set('open');
    await takenNow(refused);
  });
});
