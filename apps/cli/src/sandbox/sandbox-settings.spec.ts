import { loadConfiguration, loadProducts, packageRoot, readMerchantServerEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxSettings } from './sandbox-settings';

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

it('runs on the embedded default, whatever the shell is set up for', async () => {
  const { environment } = await sandboxSettings(
    { ...anyPorts, NODE_ENV: 'production', EVENTSTORE_URL: 'esdb://there', KEPT: 'yes' },
    packageRoot(),
  );
  expect(environment).toMatchObject({ KEPT: 'yes', DATA_DIR: folder });
  expect(environment).not.toHaveProperty('NODE_ENV');
  expect(environment).not.toHaveProperty('EVENTSTORE_URL');
});

it('stores its events at ESDB_URL', async () => {
  const { environment } = await sandboxSettings({ ...anyPorts, EVENTSTORE_URL: 'esdb://other', ESDB_URL: 'esdb://there' }, packageRoot());
  expect(environment).toMatchObject({ EVENTSTORE_URL: 'esdb://there', DATA_DIR: folder });
  expect(environment).not.toHaveProperty('READ_MODEL_URL');
});

it('gives the merchant server a folder and a store of its own', async () => {
  const { merchantServer } = await sandboxSettings({ ...anyPorts, ESDB_URL: 'esdb://there' }, packageRoot());
  const { dataDir, port, eventStore, configurationPath } = readMerchantServerEnvironment(merchantServer.environment, packageRoot());
  expect([dataDir, port]).toStrictEqual([merchantServer.dataDir, merchantServer.port]);
  expect(eventStore).toStrictEqual({ kind: 'file', path: join(folder, 'merchant-server', 'events.sqlite') });
  expect(loadProducts(configurationPath, {}).all.map(({ login }) => login)).toStrictEqual(['acme']);
});

it('names the variable of a port that is taken', async () => {
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

it('refuses an invalid port', async () => {
  await expect(sandboxSettings({ ...anyPorts, PORT: '80a' }, packageRoot())).rejects.toThrow('PORT: must be a port');
});
