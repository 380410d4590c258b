import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration, loadProducts, packageRoot } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { ServiceSettings } from './settings';
import { twoTierSettings } from './two-tier';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'two-tier-settings-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const anyPorts = (): Record<string, string> => ({
  PORT: '0',
  OPERATOR_PORT: '0',
  MERCHANT_PORT: '0',
  CALLBACK_PORT: '0',
  DATA_DIR: folder,
});
const configurationOf = ({ configurationPath }: ServiceSettings) => loadConfiguration(configurationPath, {}, GATE_ADAPTERS);

it('gives each tier separate ports and a separate data folder', async () => {
  const { service, upstream, merchantServer, callbackPort } = await twoTierSettings(anyPorts(), packageRoot());
  const ports = [service, upstream].flatMap(({ port, operatorPort }) => [port, operatorPort]);
  expect(new Set([...ports, merchantServer.port, callbackPort]).size).toBe(6);
  expect([service, upstream, merchantServer].map(({ dataDir }) => dataDir)).toStrictEqual([
    folder,
    join(folder, 'upstream'),
    join(folder, 'merchant-server'),
  ]);
  for (const { environment, port, operatorPort, dataDir, configurationPath } of [service, upstream])
    expect(environment).toMatchObject({
      PORT: String(port),
      OPERATOR_PORT: String(operatorPort),
      DATA_DIR: dataDir,
      ORCH_CONFIG: configurationPath,
    });
});

it('maps every gate of the service to a merchant account, key and entry point at the upstream gateway', async () => {
  const { service, upstream, merchantServer, callbackPort } = await twoTierSettings(anyPorts(), packageRoot());
  const [here, there] = [configurationOf(service), configurationOf(upstream)];
  expect([here.publicBaseUrl, there.publicBaseUrl]).toStrictEqual([
    `http://127.0.0.1:${service.port}`,
    `http://127.0.0.1:${upstream.port}`,
  ]);
  expect([[...here.egress.ports], [...there.egress.ports]]).toStrictEqual([[merchantServer.port, callbackPort], [service.port]]);
  const gates = here.accounts.gates.flatMap((gate) => (gate.adapter === 'paynet' ? [gate] : []));
  expect(gates.map(({ alias }) => alias)).toStrictEqual(here.accounts.gates.map(({ alias }) => alias));
  for (const { upstream: account, secrets, threeDSecure } of gates) {
    expect(account.baseUrl).toBe(`http://127.0.0.1:${upstream.port}/paynet`);
    const found = there.accounts.entryPoint('endpoint', account.endpoint ?? '');
    expect(found?.merchant).toBe(account.login);
    expect(there.accounts.merchant(account.login)?.controlKey.reveal()).toBe(secrets.controlKey.reveal());
    const behind = found?.kind === 'endpoint' ? found.endpoint.gates.map((alias) => there.accounts.gate(alias)?.threeDSecure) : [];
    expect(new Set(behind)).toStrictEqual(new Set([threeDSecure]));
  }
});

it('gives each device-capable gate a separate upstream merchant whose merchant URL is that gate', async () => {
  const { service, upstream, merchantServer } = await twoTierSettings(anyPorts(), packageRoot());
  const [here, there] = [configurationOf(service), configurationOf(upstream)];
  const asked = here.accounts.gates.flatMap((gate) =>
    gate.adapter === 'paynet' && gate.upstream.device !== undefined
      ? [[gate.alias, there.accounts.merchant(gate.upstream.login)?.merchantUrl] as const]
      : [],
  );
  expect(asked).toStrictEqual(
    ['upstream-a', 'upstream-fees'].map((alias) => [alias, `http://127.0.0.1:${service.port}/paynet/gates/${alias}`]),
  );
  const [product] = loadProducts(join(packageRoot(), 'config', 'merchant-server.yaml'), {}).all;
  const merchant = here.accounts.merchant('acme');
  expect([merchant?.merchantUrl, merchant?.controlKey.reveal()]).toStrictEqual([
    `http://127.0.0.1:${merchantServer.port}`,
    product?.controlKey.reveal(),
  ]);
});

it('ships valid configurations with different public ports', () => {
  const folderOfBoth = join(packageRoot(), 'config', 'two-tiers');
  const urls = ['service.yaml', 'upstream.yaml'].map(
    (name) => loadConfiguration(join(folderOfBoth, name), {}, GATE_ADAPTERS).publicBaseUrl,
  );
  expect(urls).toStrictEqual(['http://127.0.0.1:8080', 'http://127.0.0.1:8090']);
});

it('uses file stores in both tiers and ignores NODE_ENV and EVENTSTORE_URL of the shell', async () => {
  const { service, upstream } = await twoTierSettings(
    { ...anyPorts(), NODE_ENV: 'production', EVENTSTORE_URL: 'esdb://there' },
    packageRoot(),
  );
  for (const { environment } of [service, upstream]) {
    expect(environment).not.toHaveProperty('EVENTSTORE_URL');
    expect(environment).not.toHaveProperty('NODE_ENV');
  }
});

it.each(['UPSTREAM_PORT', 'UPSTREAM_OPERATOR_PORT', 'MERCHANT_PORT'])('names %s if its port is occupied or invalid', async (name) => {
  const other = createServer();
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  try {
    const { port } = other.address() as AddressInfo;
    const data = { DATA_DIR: join(folder, 'none') };
    await expect(twoTierSettings({ ...anyPorts(), ...data, [name]: String(port) }, packageRoot())).rejects.toThrow(
      `port ${port} is taken: set ${name}`,
    );
    await expect(twoTierSettings({ ...anyPorts(), ...data, [name]: '80a' }, packageRoot())).rejects.toThrow(`${name}: must be a port`);
    expect(existsSync(data.DATA_DIR)).toBe(false);
  } finally {
    await new Promise((closed) => other.close(closed));
  }
});
