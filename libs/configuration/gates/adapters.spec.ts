import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ConfigurationFault, configurationFrom } from '..';
import { flag, line, mapping, wholeNumberIn } from '../reading/scalars';

const plain = { name: 'plain', settings: {}, secrets: {}, capabilities: ['charging'] } as const;
const acme = {
  name: 'acme-pay',
  settings: { shop: line(8), limits: mapping({ callsMax: wholeNumberIn(1, 9), isStrict: flag().default(false) }).optional() },
  secrets: {
    apiKey: { isRequired: true, what: 'eight digits', accepts: (text: string) => /^\d{8}$/.test(text) },
    hookSecret: { isRequired: false, what: 'text', accepts: () => true },
  },
  capabilities: ['charging', 'payerAuthentication'],
} as const;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gate-secrets-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const API_KEY = '31415926';
const read = (environment: Record<string, string>, ...gates: readonly object[]) => {
  const endpoints = [{ id: '1001', currency: 'USD', gates: ['a'] }];
  const merchants = [{ login: 'acme', controlKey: 'ab'.repeat(16), endpoints }];
  const text = JSON.stringify({ merchants, gates: gates.map((gate) => ({ currencies: ['USD'], ...gate })) });
  return configurationFrom(text, { source: 'test.json', folder, environment, adapters: [plain, acme] }).accounts;
};
const faultsOf = (...gates: readonly object[]): readonly string[] => {
  try {
    read({}, ...gates);
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults.map(({ path, problem }) => `${path}: ${problem}`);
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('gates with different adapters', () => {
  it('have the common settings and those of their adapter', () => {
    const { gates } = read(
      {},
      { alias: 'a', adapter: 'plain' },
      { alias: 'b', adapter: 'acme-pay', shop: 'x', apiKey: API_KEY, limits: { callsMax: 2 } },
    );
    const told = gates.map((gate) => (gate.adapter === 'acme-pay' ? `${gate.alias} ${gate.shop} ${gate.limits?.callsMax}` : gate.alias));
    expect(told).toEqual(['a', 'b x 2']);
    expect(gates[0]).toMatchObject({ adapter: 'plain', descriptor: 'a', longestFlightMs: 5_000 });
  });

  it('may take the name of their adapter from the environment', () => {
    const [gate] = read({ ADAPTER: 'acme-pay' }, { alias: 'a', adapter: '${ADAPTER}', shop: 'x', apiKey: API_KEY }).gates;
    expect(gate).toMatchObject({ adapter: 'acme-pay', shop: 'x' });
  });

  it('are rejected with a key of another adapter and with an invalid value', () => {
    const faults = faultsOf(
      { alias: 'a', adapter: 'plain', shop: 'x' },
      { alias: 'b', adapter: 'acme-pay', apiKey: API_KEY, limits: { callsMax: 10 } },
    );
    expect(faults).toEqual([
      'gates[0].shop: is not a known key',
      'gates[1].shop: is required',
      'gates[1].limits.callsMax: must be a whole number from 1 to 9',
    ]);
  });

  it('are rejected with an unknown adapter, together with every other fault', () => {
    expect(
      faultsOf({ alias: 'a', adapter: 'plane', cvvRequired: 1, shop: 'x', apiKey: '1', mistyped: 1 }, { alias: 'b' }, { adapter: 'plain' }),
    ).toEqual([
      'gates[0].adapter: must be one of plain, acme-pay',
      'gates[0].cvvRequired: must be true or false',
      'gates[0].mistyped: is not a known key',
      'gates[1].adapter: is required',
      'gates[2].alias: is required',
    ]);
  });

  it('are rejected with 3-D Secure if the adapter has no payer authentication', () => {
    expect(faultsOf({ alias: 'a', adapter: 'plain', threeDSecure: true })).toEqual([
      'gates[0].threeDSecure: needs an adapter that supports payer authentication',
    ]);
    const secure = { alias: 'a', adapter: 'acme-pay', shop: 'x', apiKey: API_KEY, threeDSecure: true };
    expect(read({}, secure, { alias: 'b', adapter: 'plain', threeDSecure: false }).gates.map((gate) => gate.threeDSecure)).toEqual([
      true,
      false,
    ]);
  });

  describe('with secrets', () => {
    const gate = { alias: 'a', adapter: 'acme-pay', shop: 'x' };
    const secretsOf = (entry: object, environment: Record<string, string> = {}) => {
      const [settings] = read(environment, { ...gate, ...entry }).gates;
      if (settings.adapter !== 'acme-pay') throw new Error('another adapter');
      return settings.secrets;
    };

    it('read a secret from the configuration, the environment or a separate file without its last line break', () => {
      expect(secretsOf({ apiKey: API_KEY }).apiKey.reveal()).toBe(API_KEY);
      expect(secretsOf({ apiKey: '${KEY}' }, { KEY: API_KEY }).apiKey.reveal()).toBe(API_KEY);
      writeFileSync(join(folder, 'api.key'), `${API_KEY}\n`, { mode: 0o600 });
      const { apiKey, hookSecret } = secretsOf({ apiKeyFile: 'api.key' });
      expect(apiKey.reveal()).toBe(API_KEY);
      expect(hookSecret).toBeUndefined();
    });

    it('do not show a secret when printed', () => {
      const { gates } = read({}, { ...gate, apiKey: API_KEY });
      expect(inspect(gates, { depth: Infinity, showHidden: true })).not.toContain(API_KEY);
      expect(Object.keys(gates[0])).not.toContain('apiKey');
    });

    it.each([
      [{}, 'gates[0].apiKey: is required (or apiKeyFile)'],
      [{ apiKey: API_KEY, apiKeyFile: 'api.key' }, 'gates[0].apiKeyFile: cannot be combined with apiKey: use one of the two'],
      [{ apiKey: 'secret' }, 'gates[0].apiKey: must be eight digits'],
      [{ apiKeyFile: 'no-such.key' }, 'gates[0].apiKeyFile: names a file that cannot be read (ENOENT)'],
      [{ apiKey: API_KEY, apiSecret: 'x' }, 'gates[0].apiSecret: is not a known key'],
    ])('are rejected with %j', (entry, fault) => {
      expect(faultsOf({ ...gate, ...entry })).toEqual([fault]);
    });

    it('are rejected with a secret of another adapter', () => {
      expect(faultsOf({ alias: 'a', adapter: 'plain', apiKey: API_KEY })).toEqual(['gates[0].apiKey: is not a known key']);
    });
  });
});
