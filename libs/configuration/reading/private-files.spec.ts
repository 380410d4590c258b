import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { ConfigurationFault } from './fault';
import { configurationFrom } from '../load-configuration';
import { prepareDataFolder } from './environment';
import { productsFrom } from '../load-products';

const KEY = '00112233-4455-6677-8899-AABBCCDDEEFF';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string, mode: number): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const faultsOf = (run: () => unknown): readonly object[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults;
    throw error;
  }
  return [];
};
const on = (isProduction: boolean) => ({ source: 'test', folder, environment: { NODE_ENV: isProduction ? 'production' : '' } });
const configuration = (isProduction: boolean) =>
  configurationFrom(
    JSON.stringify({
      publicBaseUrl: 'https://pay.example',
      merchants: [
        {
          login: 'shop',
          controlKeyFile: 'control.key',
          callback: { secretFile: 'callback.secret' },
          endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'] }],
        },
      ],
      gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'], allowInProduction: true }],
    }),
    { ...on(isProduction), adapters: GATE_ADAPTERS },
  );
const products = (isProduction: boolean) =>
  productsFrom(
    JSON.stringify({
      products: [
        {
          login: 'shop',
          controlKeyFile: 'control.key',
          callback: { secretFile: 'callback.secret' },
          endpoints: [{ id: '1001', currency: 'USD' }],
        },
      ],
    }),
    on(isProduction),
  );

describe.each([
  ['the configuration', configuration, 'merchants'],
  ['the products', products, 'products'],
] as const)('a secret file of %s', (_title, read, list) => {
  it('is accepted without a warning if only its owner has access', () => {
    file('control.key', KEY, 0o600);
    file('callback.secret', SECRET, 0o400);
    for (const isProduction of [true, false]) expect(read(isProduction).warnings).toStrictEqual([]);
  });

  it.each([0o644, 0o640, 0o604, 0o666])('with mode %o is rejected in production and reported as a warning otherwise', (mode) => {
    const path = file('control.key', KEY, mode);
    const secret = file('callback.secret', SECRET, mode);
    const found = [
      { path: `${list}[0].controlKeyFile`, problem: `${path}: other users can access it (mode ${mode.toString(8)}); chmod 600 it` },
      { path: `${list}[0].callback.secretFile`, problem: `${secret}: other users can access it (mode ${mode.toString(8)}); chmod 600 it` },
    ];
    expect(faultsOf(() => read(true))).toStrictEqual(found);
    expect(read(false).warnings).toStrictEqual(found);
    expect(JSON.stringify(found)).not.toContain(KEY);
  });
});

describe('DATA_DIR', () => {
  it('is created with its parents and mode 0700 if it is missing', () => {
    const dataDir = join(folder, 'a', 'b');
    expect(prepareDataFolder({ dataDir, isProduction: true })).toStrictEqual([]);
    expect([dataDir, join(folder, 'a')].map((path) => statSync(path).mode & 0o777)).toStrictEqual([0o700, 0o700]);
  });

  it.each([0o755, 0o750, 0o711, 0o777])(
    'with mode %o is rejected in production, reported as a warning otherwise, and left unchanged',
    (mode) => {
      const dataDir = join(folder, 'data');
      mkdirSync(dataDir);
      chmodSync(dataDir, mode);
      const found = [{ path: 'DATA_DIR', problem: `${dataDir}: other users can access it (mode ${mode.toString(8)}); chmod 700 it` }];
      expect(faultsOf(() => prepareDataFolder({ dataDir, isProduction: true }))).toStrictEqual(found);
      expect(prepareDataFolder({ dataDir, isProduction: false })).toStrictEqual(found);
      expect(statSync(dataDir).mode & 0o777).toBe(mode);
    },
  );

  it('is reported if it cannot be created', () => {
    const dataDir = join(file('in-the-way', '', 0o600), 'data');
    expect(faultsOf(() => prepareDataFolder({ dataDir, isProduction: false }))).toStrictEqual([
      { path: 'DATA_DIR', problem: `${dataDir} cannot be created (ENOTDIR)` },
    ]);
  });
});
