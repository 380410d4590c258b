import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notificationSignature } from '@app/gateway-protocol';
import { WireServer } from '../../fakes/eventstoredb';
import { Secret } from '@app/kernel';
import { byReference, MerchantServerClient, SAMPLE_CARD } from '../../support/devices/merchant-server-client';
import { ACME_PRODUCT, MerchantServer } from '../../support/devices/merchant-server';
import { MERCHANT_SERVER_PROGRAM, ServiceProcess } from '../../support/processes/service-process';

const KEY = new Secret(ACME_PRODUCT.controlKey);
const forbidden = { status: 403, text: '' };

describe('the built merchant server', () => {
  let server: MerchantServer;
  let client: MerchantServerClient;
  beforeAll(async () => {
    server = await MerchantServer.start({
      configuration: {
        products: [
          ACME_PRODUCT,
          { login: 'other', controlKey: '00112233445566778899aabbccddeeff', endpoints: [{ id: '2001', currency: 'EUR' }] },
        ],
      },
    });
    client = new MerchantServerClient(server);
  });
  afterAll(() => server.dispose());

  it('serves a device and a gateway from the access token to a repeated order by reference', async () => {
    const { begun, source } = await client.complete('transfer', { email: 'tour@example.com' });
    const again = await client.begin('transfer', { accessToken: begun.accessToken });
    const { status, body } = await client.check(again, { sourceOfFunds: byReference(source) });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { consumer: { email: 'tour@example.com' }, sourceOfFunds: { reference: { serverCardId: SAMPLE_CARD.serverCardId } } },
    });
  });

  it('separates its products by path (architecture, "Configuration") [W438, W574]', async () => {
    const other = client.below('other');
    const accessToken = await other.token();
    expect((await other.initiate('sale', { accessToken, currency: 'EUR' })).body).toMatchObject({ endpointId: '2001' });
    expect(await client.initiate('sale', { accessToken, currency: 'USD' })).toMatchObject(forbidden);
    const named = client.below('acme');
    expect((await named.initiate('sale', { accessToken: await client.token() })).body).toMatchObject({ endpointId: '1001' });
  });

  it('continues after a kill between any two steps [W431, W570]', async () => {
    const accessToken = await client.token('killed@example.com');
    const restart = async (): Promise<void> => {
      await server.end('SIGKILL');
      await server.launch();
    };
    await restart();
    const begun = await client.begin('sale', { accessToken });
    await restart();
    const checked = await client.check(begun);
    expect(checked.body).toMatchObject({ invoiceId: begun.invoiceId, consumer: { email: 'killed@example.com' } });
    await restart();
    expect(await client.check(begun)).toMatchObject({ status: 200, body: checked.body });
    expect(await client.check({ ...begun, token: randomUUID() })).toMatchObject(forbidden);
    const { body } = await client.notify(begun);
    expect(body).toStrictEqual({
      invoiceId: begun.invoiceId,
      session: { checkSignature: notificationSignature(begun, KEY), nonce: begun.nonce, token: begun.token },
    });
    await restart();
    expect(await client.notify(begun)).toMatchObject({ status: 200, body });
    expect((await client.clientIds(begun)).body).toHaveProperty('sourceCard');
  });

  it('stops in order and leaves no secret in its files or log', async () => {
    const { begun } = await client.complete('sale', { email: 'canary@example.com', serialNumber: 'SN-canary' });
    const { stdout } = server;
    expect(await server.end('SIGTERM')).toStrictEqual({ code: 0, signal: null });
    const { dataDir } = server;
    expect(statSync(join(dataDir, 'merchant-keyring.json')).mode & 0o777).toBe(0o600);
    const kept =
      readdirSync(dataDir)
        .map((file) => readFileSync(join(dataDir, file), 'latin1'))
        .join('\n') + stdout;
    expect(kept).toContain(begun.invoiceId);
    for (const secret of [
      begun.accessToken,
      begun.nonce,
      begun.signature,
      begun.token,
      'canary@example.com',
      'SN-canary',
      ACME_PRODUCT.controlKey,
    ]) {
      expect(kept).not.toContain(secret);
    }
    await server.launch();
    expect((await client.clientIds(begun)).body).toHaveProperty('sourceCard');
  });

  it('refuses to start as a second process on the same files', async () => {
    const second = new ServiceProcess({ ...server.environment, PORT: '0' }, MERCHANT_SERVER_PROGRAM);
    second.isEndExpected = true;
    expect(await second.exited).toStrictEqual({ code: 1, signal: null });
    expect(second.stderr).toMatch(/^merchant-server: .*events\.sqlite/);
  });

  it('refuses to start with a faulty configuration and reports every fault', async () => {
    const path = join(server.folder, 'bad.json');
    writeFileSync(path, JSON.stringify({ products: [{ login: 'sale', controlKey: 'zz', endpoints: [{ id: 1, currency: 'usd' }] }] }));
    const bad = new ServiceProcess({ ...server.environment, MERCHANT_CONFIG: path }, MERCHANT_SERVER_PROGRAM);
    bad.isEndExpected = true;
    expect(await bad.exited).toStrictEqual({ code: 1, signal: null });
    expect(bad.stderr.split('\n').map((line) => line.trim().split(': ')[0])).toStrictEqual([
      path,
      'products[0].login',
      'products[0].endpoints[0].id',
      'products[0].endpoints[0].currency',
      'products[0].controlKey',
      '',
    ]);
  });
});

describe('two merchant servers on one EventStoreDB', () => {
  let wire: WireServer;
  let servers: readonly MerchantServer[] = [];
  beforeAll(async () => {
    wire = await WireServer.start();
    const environment = { EVENTSTORE_URL: wire.connectionString };
    const first = await MerchantServer.start({ environment });
    servers = [first];
    const keyring = join(first.folder, 'shared');
    mkdirSync(keyring);
    copyFileSync(join(first.dataDir, 'merchant-keyring.json'), join(keyring, 'merchant-keyring.json'));
    servers = [
      first,
      await MerchantServer.start({ environment: { ...environment, MERCHANT_KEYRING: join(keyring, 'merchant-keyring.json') } }),
    ];
  });
  afterAll(async () => {
    for (const server of servers) await server.dispose();
    await wire.stop();
  });

  it('serve one order together, whichever of the two each request reaches', async () => {
    const [here, there] = servers.map((server) => new MerchantServerClient(server)) as [MerchantServerClient, MerchantServerClient];
    const accessToken = await here.token('both@example.com');
    const begun = await there.begin('sale', { accessToken });
    const tokens = Array.from({ length: 8 }, () => randomUUID());
    const checks = await Promise.all(tokens.map((token, index) => (index % 2 === 0 ? here : there).check({ ...begun, token })));
    const accepted = tokens.filter((_, index) => checks[index]?.status === 200);
    expect(accepted).toHaveLength(1);
    expect(checks.filter(({ status }) => status === 403)).toHaveLength(7);
    const [token = ''] = accepted;
    const told = await Promise.all([here, there].map((client) => client.notify({ ...begun, token })));
    expect(told.map(({ status }) => status)).toStrictEqual([200, 200]);
    expect(told[0]?.body).toStrictEqual(told[1]?.body);
    const ids = await Promise.all([here, there].map((client) => client.clientIds(begun)));
    expect(ids[0]?.body).toHaveProperty('sourceCard');
    expect(ids[0]?.body).toStrictEqual(ids[1]?.body);
  });
});
