import { createServer, type AddressInfo, type Server } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration, loadProducts, packageRoot, readMerchantServerEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { CommandFailed } from '../terminal';
import { freePort, sandboxSettings } from './settings';

let taken: Server;
let takenPort: number;

beforeAll(async () => {
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  takenPort = (taken.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => taken.close(resolve)));

it('returns the requested port if it is free, otherwise fails with the name of the variable', async () => {
  const free = await freePort('PORT', 0);
  expect(await freePort('PORT', free)).toBe(free);
  await expect(freePort('OPERATOR_PORT', takenPort)).rejects.toThrow(
    new CommandFailed(`port ${takenPort} is taken: set OPERATOR_PORT to a free one, or to 0 for any`),
  );
});

it('picks distinct free ports outside the ephemeral range', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort('PORT', 0)));
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(1_024);
    expect(port).toBeLessThan(32_768);
  }
});

it('retries until it finds a free port and fails after a limited number of attempts', async () => {
  const free = await freePort('PORT', 0);
  const unusable = [takenPort, free, takenPort];
  let next = free;
  expect(await freePort('PORT', 0, () => unusable.shift() ?? ++next)).toBe(next);
  expect([unusable, next > free]).toStrictEqual([[], true]);
  await expect(freePort('CALLBACK_PORT', 0, () => takenPort)).rejects.toThrow('no free port was found for CALLBACK_PORT: set it to one');
});

const folder = mkdtempSync(join(tmpdir(), 'sandbox-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const anyPorts = { PORT: '0', OPERATOR_PORT: '0', MERCHANT_PORT: '0', CALLBACK_PORT: '0', DATA_DIR: folder };

it('writes a configuration with the free ports and the merchants of the sandbox', async () => {
  const settings = await sandboxSettings(anyPorts, packageRoot());
  const { publicBaseUrl, egress, accounts } = loadConfiguration(settings.configurationPath, {}, GATE_ADAPTERS);
  expect(publicBaseUrl).toBe(`http://127.0.0.1:${settings.port}`);
  expect([...egress.ports]).toStrictEqual([settings.merchantServer.port, settings.callbackPort]);
  const merchantUrl = `http://127.0.0.1:${settings.merchantServer.port}`;
  expect(accounts.merchant('acme')?.merchantUrl).toBe(merchantUrl);
  const entryPoint = accounts.entryPoint('endpoint', '1004');
  expect(entryPoint?.kind === 'endpoint' && entryPoint.endpoint.callbackUrl).toBe(`${merchantUrl}/callback`);
  expect(accounts.merchant('acme')?.oauthPublicKey?.type).toBe('public');
  expect(accounts.entryPoint('endpoint', '1003')?.merchant).toBe('acme');
});

it('uses the embedded store and ignores NODE_ENV and EVENTSTORE_URL of the shell', async () => {
  const { environment } = await sandboxSettings(
    { ...anyPorts, NODE_ENV: 'production', EVENTSTORE_URL: 'esdb://there', KEPT: 'yes' },
    packageRoot(),
  );
  expect(environment).toMatchObject({ KEPT: 'yes', DATA_DIR: folder });
  expect(environment).not.toHaveProperty('NODE_ENV');
  expect(environment).not.toHaveProperty('EVENTSTORE_URL');
});

it('stores events at ESDB_URL', async () => {
  const { environment } = await sandboxSettings({ ...anyPorts, EVENTSTORE_URL: 'esdb://other', ESDB_URL: 'esdb://there' }, packageRoot());
  expect(environment).toMatchObject({ EVENTSTORE_URL: 'esdb://there', DATA_DIR: folder });
  expect(environment).not.toHaveProperty('READ_MODEL_URL');
});

it('gives the merchant server a separate folder and event store', async () => {
  const { merchantServer } = await sandboxSettings({ ...anyPorts, ESDB_URL: 'esdb://there' }, packageRoot());
  const { dataDir, port, eventStore, configurationPath } = readMerchantServerEnvironment(merchantServer.environment, packageRoot());
  expect([dataDir, port]).toStrictEqual([merchantServer.dataDir, merchantServer.port]);
  expect(eventStore).toStrictEqual({ kind: 'file', path: join(folder, 'merchant-server', 'events.sqlite') });
  expect(loadProducts(configurationPath, {}).all.map(({ login }) => login)).toStrictEqual(['acme']);
});

it('names the variable of an occupied port', async () => {
  const other = createServer();
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
  });
  try {
    const taken = sandboxSettings({ ...anyPorts, OPERATOR_PORT: String(port) }, packageRoot());
    await expect(taken).rejects.toThrow(`port ${port} is taken: set OPERATOR_PORT`);
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

it('rejects an invalid port', async () => {
  await expect(sandboxSettings({ ...anyPorts, PORT: '80a' }, packageRoot())).rejects.toThrow('PORT: must be a port');
});
