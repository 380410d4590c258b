import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { ownSettings } from './own-configuration';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'own-configuration-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const SHOP = `
egress: { allow: ['127.0.0.1'], ports: [8081] }
merchants:
  - login: myshop
    controlKey: \${MYSHOP_CONTROL_KEY}
    endpoints: [{ id: '5001', currency: EUR, gates: [test-gate], callbackUrl: 'http://127.0.0.1:8081/callback' }]
gates: [{ alias: test-gate, adapter: simulator, currencies: [EUR] }]
`;
const ANY = { PORT: '0', OPERATOR_PORT: '0', MYSHOP_CONTROL_KEY: 'ab'.repeat(16) };
const shop = (text = SHOP): string => {
  const path = join(folder, 'my-shop.yaml');
  writeFileSync(path, text);
  return path;
};

it('uses the embedded store, the variables named in the file and a data folder named after it', async () => {
  const path = shop();
  const settings = await ownSettings(path, { ...ANY, NODE_ENV: 'production', EVENTSTORE_URL: 'esdb://there' }, folder);
  expect(settings).toMatchObject({ dataDir: join(folder, 'data', 'my-shop'), merchants: ['myshop'] });
  expect(settings.environment).toMatchObject({ ORCH_CONFIG: path, PORT: String(settings.port), DATA_DIR: settings.dataDir });
  expect(settings.environment).not.toHaveProperty('EVENTSTORE_URL');
  expect(settings.environment).not.toHaveProperty('NODE_ENV');
  expect(loadConfiguration(path, settings.environment, GATE_ADAPTERS).accounts.merchant('myshop')).toBeDefined();
  expect((await ownSettings(path, { ...ANY, DATA_DIR: join(folder, 'other') }, folder)).dataDir).toBe(join(folder, 'other'));
});

it('reports every fault of the file, including a callback address that egress blocks', async () => {
  const wrong = shop(SHOP.replace('EUR, gates', 'EUX, gates').replace("allow: ['127.0.0.1'], ", ''));
  await expect(ownSettings(wrong, { ...ANY, MYSHOP_CONTROL_KEY: undefined }, folder)).rejects.toThrow(
    /needs the environment variable MYSHOP_CONTROL_KEY, which is not set[\s\S]*currency: is not an ISO 4217 currency[\s\S]*callbackUrl: would never be called \(loopback\)/,
  );
});

it('names the variable of an occupied port', async () => {
  const other = createServer();
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  try {
    const { port } = other.address() as AddressInfo;
    await expect(ownSettings(shop(), { ...ANY, OPERATOR_PORT: String(port) }, folder)).rejects.toThrow(
      `port ${port} is taken: set OPERATOR_PORT`,
    );
  } finally {
    await new Promise((closed) => other.close(closed));
  }
});
