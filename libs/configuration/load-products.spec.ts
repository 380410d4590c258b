import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { ConfigurationFault } from './reading/fault';
import { loadProducts, productsFrom } from './load-products';
import { productEndpointFor, commissionRange } from './merchants/products';
import type { EnvironmentVariables } from './reading/environment';

const KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const CALLBACK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OWN_SECRET = `whsec_${'b3du'.repeat(8)}`;
const THIRD_KEY = 'ffeeddccbbaa99887766554433221100';
const OTHER_KEY = '00112233445566778899aabbccddeeff';
const folder = mkdtempSync(join(tmpdir(), 'products-'));
afterAll(() => rmSync(folder, { recursive: true }));

const product = (more: object = {}) => ({ login: 'acme', controlKey: KEY, endpoints: [{ id: '1001', currency: 'USD' }], ...more });
const read = (value: unknown, environment: EnvironmentVariables = {}) =>
  productsFrom(typeof value === 'string' ? value : JSON.stringify(value), { source: 'test', folder, environment });
const faultsOf = (value: unknown, environment: EnvironmentVariables = {}): string[] => {
  try {
    read(value, environment);
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults.map(({ path, problem }) => `${path}: ${problem}`);
    throw error;
  }
  return [];
};

describe('the merchant server\'s configuration (architecture, "Configuration")', () => {
  it("of the sandbox has the product acme with the gateway's endpoints", () => {
    const { all } = loadProducts(resolve(__dirname, '../../config/merchant-server.yaml'), {});
    expect(all.map(({ login, endpoints, rates }) => ({ login, endpoints, rates }))).toStrictEqual([
      {
        login: 'acme',
        endpoints: [
          { id: '1001', currency: 'USD', operations: 'all' },
          { id: '1004', currency: 'USD', operations: new Set(['transfer']) },
        ],
        rates: [{ fromBins: ['*'], toBins: ['*'], ratePerTenThousand: 150, minCentis: 30 }],
      },
    ]);
    expect(all[0].controlKey.reveal()).toBe(KEY);
  });

  it('may contain a single product without a list', () => {
    const { all, product: byLogin } = read(product());
    expect(all).toHaveLength(1);
    expect(byLogin('acme')).toBe(all[0]);
    expect(byLogin('nobody')).toBeUndefined();
  });

  it('reads secrets from files and from the environment', () => {
    writeFileSync(join(folder, 'key'), `${OTHER_KEY}\n`);
    writeFileSync(join(folder, 'secret'), 'sixteen-characters');
    const { controlKey, tokenSecret } = read(product({ controlKey: undefined, controlKeyFile: 'key', tokenSecretFile: 'secret' })).all[0];
    expect([controlKey.reveal(), tokenSecret?.reveal()]).toStrictEqual([OTHER_KEY, 'sixteen-characters']);
    expect(read(product({ controlKey: '${KEY}' }), { KEY: OTHER_KEY }).all[0].controlKey.reveal()).toBe(OTHER_KEY);
    expect(faultsOf(product({ controlKey: '${KEY}' }))).toStrictEqual(['controlKey: needs the environment variable KEY, which is not set']);
  });

  it("reads the callback secret in the gateway's format, inline or from a file", () => {
    writeFileSync(join(folder, 'callback'), `${CALLBACK_SECRET}\n`);
    for (const callback of [{ secret: CALLBACK_SECRET }, { secretFile: 'callback' }])
      expect(read(product({ callback })).all[0].callbackSecret?.reveal()).toBe(CALLBACK_SECRET);
    expect(read(product()).all[0]).not.toHaveProperty('callbackSecret');
    expect(read(product()).all[0].unsignedNotifications).toBe(false);
  });

  it('requires a callback secret or unsignedNotifications for each product in production [W528]', () => {
    const own = (more: object = {}) => product({ controlKey: OTHER_KEY, ...more });
    const production = { NODE_ENV: 'production' };
    const problem = 'is required (or secretFile) when NODE_ENV=production, or unsignedNotifications true';
    expect(faultsOf(own(), production)).toStrictEqual([`callback.secret: ${problem}`]);
    const other = product({ login: 'other', controlKey: THIRD_KEY, endpoints: [{ id: '2', currency: 'USD' }] });
    expect(faultsOf({ products: [own({ unsignedNotifications: true }), other] }, production)).toStrictEqual([
      `products[1].callback.secret: ${problem}`,
    ]);
    expect(faultsOf(own({ callback: { secret: OWN_SECRET } }), production)).toStrictEqual([]);
    expect(faultsOf(own({ unsignedNotifications: '${WAIVED}' }), { ...production, WAIVED: 'true' })).toStrictEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ['no product', { products: [] }, ['products: must have at least 1']],
    ['no list', { products: 1 }, ['products: must be a list']],
    ['nothing', null, ['(whole): must be a mapping', 'controlKey: is required (or controlKeyFile)']],
    ['a key that is not known', product({ contorlKey: KEY }), ['contorlKey: is not a known key']],
    ['no control key', { ...product(), controlKey: undefined }, ['controlKey: is required (or controlKeyFile)']],
    [
      'a bad control key (safety, T3)',
      product({ controlKey: 'zz' }),
      ['controlKey: must be hexadecimal once its dashes are removed, of an even length, at least 16 bytes'],
    ],
    [
      'both forms of a secret',
      product({ controlKeyFile: 'key' }),
      ['controlKeyFile: cannot be combined with controlKey: use one of the two'],
    ],
    [
      'a short token secret',
      product({ tokenSecret: 'short' }),
      ['tokenSecret: must be at least 16 printable ASCII characters without spaces'],
    ],
    [
      'a missing key file',
      product({ controlKey: undefined, controlKeyFile: 'none' }),
      ['controlKeyFile: names a file that cannot be read (ENOENT)'],
    ],
    [
      'a callback secret of another form',
      product({ callback: { secret: 'secret' } }),
      ['callback.secret: must be whsec_ and 24 to 64 bytes in base64'],
    ],
    [
      'both forms of a callback secret',
      product({ callback: { secret: CALLBACK_SECRET, secretFile: 'callback' } }),
      ['callback.secretFile: cannot be combined with secret: use one of the two'],
    ],
    [
      'a callback secret and unsigned notifications',
      product({ callback: { secret: CALLBACK_SECRET }, unsignedNotifications: true }),
      ['unsignedNotifications: cannot be combined with callback.secret: use one of the two'],
    ],
    ['an invalid flag', product({ unsignedNotifications: 'no' }), ['unsignedNotifications: must be true or false']],
    ['a login that is a path', product({ login: 'sale' }), ['login: is a path of the server: choose another login']],
    ['no endpoint', product({ endpoints: [] }), ['endpoints: must have at least 1']],
    [
      'an invalid operation',
      product({ endpoints: [{ id: '1', currency: 'USD', operations: ['status'] }] }),
      ['endpoints[0].operations[0]: must be one of verification, sale, transfer'],
    ],
    [
      'an invalid currency',
      product({ endpoints: [{ id: '1', currency: 'usd' }] }),
      ['endpoints[0].currency: must be three upper-case letters'],
    ],
    [
      'an invalid BIN',
      product({ rates: [{ fromBins: ['x'], toBins: ['*'], ratePerTenThousand: 1, minCentis: 1 }] }),
      ['rates[0].fromBins[0]: must be "*", or the first one to six digits of a card, in quotes'],
    ],
    [
      'a rate over all',
      product({ rates: [{ fromBins: ['*'], toBins: ['*'], ratePerTenThousand: 10_001, minCentis: 1 }] }),
      ['rates[0].ratePerTenThousand: must be a whole number from 0 to 10000'],
    ],
    [
      'two products of one login and key',
      { products: [product(), product()] },
      [
        'products[1].controlKey: is the control key of another merchant',
        'products[1].login: is the login of another product',
        'products[1].endpoints[0].id: is the id of another endpoint',
      ],
    ],
    ['invalid YAML', '{', ['line 1, column 2: a character is missing: a bracket, a comma, a colon or a quote']],
  ])('is rejected with %s', (_, value, faults) => {
    expect(faultsOf(value).map((fault) => fault.replace(/^: /, '(whole): '))).toStrictEqual(faults);
  });

  it('reports all faults at once and no value', () => {
    const faults = faultsOf({ products: [product({ login: '1', controlKey: 'secret-value' }), product({ endpoints: [{ id: 'x' }] })] });
    expect(faults.map((fault) => fault.split(': ')[0])).toStrictEqual([
      'products[0].login',
      'products[1].endpoints[0].id',
      'products[1].endpoints[0].currency',
      'products[0].controlKey',
    ]);
    expect(faults.join()).not.toContain('secret-value');
  });

  it('throws ConfigurationFault for a missing file', () => {
    expect(() => loadProducts(join(folder, 'none.yaml'), {})).toThrow(ConfigurationFault);
  });
});

describe('the endpoint for an operation and currency (protocol decisions, section 8)', () => {
  const endpoints = [
    { id: '1', currency: 'USD' },
    { id: '2', currency: 'USD', operations: ['transfer'] },
    { id: '3', currency: 'EUR', operations: ['sale'] },
    { id: '4', currency: 'USD' },
  ];
  const [acme] = read(product({ endpoints })).all;

  it.each([
    ['sale', 'USD', '1'],
    ['verification', 'USD', '1'],
    ['transfer', 'USD', '2'],
    ['sale', 'EUR', '3'],
    ['transfer', 'EUR', undefined],
    ['sale', 'RUB', undefined],
  ] as const)('%s in %s: %s [W573]', (operation, currency, id) => {
    expect(productEndpointFor(acme, operation, currency)?.id).toBe(id);
  });
});

describe('the commission range of a transfer (protocol decisions, section 8)', () => {
  const rates = [
    { fromBins: ['*'], toBins: ['*'], ratePerTenThousand: 150, minCentis: 30 },
    { fromBins: ['44', '5'], toBins: ['55'], ratePerTenThousand: 50, minCentis: 10 },
  ];
  const [acme] = read(product({ rates })).all;

  it.each([
    [12_345n, {}, { min: 62n, max: 185n }],
    [12_345n, { fromBin: '444455', toBin: '555566' }, { min: 62n, max: 185n }],
    [12_345n, { fromBin: '444455' }, { min: 62n, max: 185n }],
    [12_345n, { fromBin: '411111', toBin: '555566' }, { min: 185n, max: 185n }],
    [12_345n, { fromBin: '444455', toBin: '666677' }, { min: 185n, max: 185n }],
    [12_345n, { toBin: '666677' }, { min: 185n, max: 185n }],
    [1n, {}, { min: 10n, max: 30n }],
  ])('is computed for %s with %j', (amount, bins, range) => {
    expect(commissionRange(acme, amount, bins)).toStrictEqual(range);
  });

  it('does not depend on the order of the rows', () => {
    const [turned] = read(product({ rates: rates.toReversed() })).all;
    expect(commissionRange(turned, 12_345n, {})).toStrictEqual({ min: 62n, max: 185n });
  });

  it('is undefined if no row matches [W571]', () => {
    const [narrow] = read(product({ rates: rates.slice(1) })).all;
    expect(commissionRange(narrow, 100n, { fromBin: '666677' })).toBeUndefined();
    expect(commissionRange(read(product()).all[0], 100n, {})).toBeUndefined();
  });

  it('has a minimum that neither exceeds its maximum nor falls below the smallest minimum', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n }), (amount) => {
        const range = commissionRange(acme, amount, {});
        expect(range?.min).toBeLessThanOrEqual(range?.max ?? -1n);
        expect(range?.min).toBeGreaterThanOrEqual(10n);
      }),
    );
  });
});
