import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { parse as parseYaml, stringify } from 'yaml';
import { wholeNumber } from '@app/testing';
import { formatAmount, parseAmount, type Currency, type GateAlias } from '@app/kernel';
import { codePoint } from '@app/testing/any-text';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { ConfigurationFault } from './reading/fault';
import { configurationFrom, loadConfiguration } from './load-configuration';
import { endpointFor, firstEndpointOf, servesOperation, type EntryPoint } from './merchants/accounts';

const SANDBOX = resolve(__dirname, '../../config/sandbox.yaml');
const FOLDER = resolve(SANDBOX, '..');
const KEY = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const OWN_KEY = '00112233-4455-6677-8899-AABBCCDDEEFF';
const read = (text: string, environment: Record<string, string> = {}) =>
  configurationFrom(text, { source: 'test.yaml', folder: FOLDER, environment, adapters: GATE_ADAPTERS });
const refusal = (run: () => unknown): string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults.map(({ path, problem }) => `${path}: ${problem}`);
    throw error;
  }
  throw new Error('nothing was refused');
};

const MINIMAL = `
merchants:
  - login: acme
    controlKey: ${KEY}
    endpoints: [{ id: "1001", currency: USD, gates: [sim-a] }]
gates: [{ alias: sim-a, adapter: simulator, currencies: [USD, EUR] }]
`;

describe('the sandbox configuration', () => {
  const configuration = loadConfiguration(SANDBOX, {}, GATE_ADAPTERS);
  const { accounts } = configuration;
  const found = (kind: EntryPoint['kind'], id: string): EntryPoint => {
    const entryPoint = accounts.entryPoint(kind, id);
    if (entryPoint === undefined) throw new Error(`no ${kind} ${id}`);
    return entryPoint;
  };

  it.each(GATE_ADAPTERS)('documents every key of a gate of $name', ({ name, settings, secrets }) => {
    const text = readFileSync(SANDBOX, 'utf8');
    const described = (key: string): boolean => new RegExp(`[ {]${key}(File)?:[ \\n]`).test(text);
    expect(text).toContain(`adapter: ${name}`);
    expect([...Object.keys(settings), ...Object.keys(secrets)].filter((key) => !described(key))).toEqual([]);
  });

  it('finds an entry point only by its kind and id', () => {
    expect(found('endpoint', '1002')).toMatchObject({ kind: 'endpoint', id: '1002', merchant: 'acme', endpoint: { currency: 'EUR' } });
    expect(found('group', '2001')).toMatchObject({ kind: 'group', id: '2001', merchant: 'acme' });
    expect(accounts.entryPoint('group', '1002')).toBeUndefined();
    expect(accounts.entryPoint('endpoint', '2001')).toBeUndefined();
    expect(accounts.entryPoint('endpoint', '9')).toBeUndefined();
    expect(accounts.entryPoint('endpoint', '__proto__')).toBeUndefined();
  });

  it('chooses an endpoint of a group by currency, and the first one for an operation without currency', () => {
    expect(endpointFor(found('group', '2001'), 'EUR')?.id).toBe('1002');
    expect(endpointFor(found('group', '2001'), 'RUB')).toBeUndefined();
    expect(endpointFor(found('endpoint', '1001'), 'USD')?.id).toBe('1001');
    expect(endpointFor(found('endpoint', '1001'), 'EUR')).toBeUndefined();
    expect(firstEndpointOf(found('group', '2001')).id).toBe('1001');
    expect(firstEndpointOf(found('endpoint', '1003')).id).toBe('1003');
  });

  it('finds merchants and gates by name', () => {
    expect(accounts.merchant('acme')?.controlKey.reveal()).toBe(KEY);
    expect(accounts.merchant('ACME')).toBeUndefined();
    expect(accounts.gate('sim-3ds' as GateAlias).threeDSecure).toBe(true);
    expect(() => accounts.gate('sim-x' as GateAlias)).toThrow('no gate sim-x in the configuration');
    expect(accounts.binOf('444433')).toBeUndefined();
  });

  it('shows no secret when printed', () => {
    const printed = JSON.stringify(configuration, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    expect(printed).toContain('acme');
    expect(printed).not.toContain(KEY);
  });

  it('is immutable', () => {
    const merchant = accounts.merchants[0];
    expect(() => Object.assign(merchant, { login: 'x' })).toThrow(TypeError);
    expect(() => Object.assign(merchant.endpoints[0], { maxAmountMinor: 1n })).toThrow(TypeError);
    expect(() => Object.assign(configuration, { pathPrefix: '/x' })).toThrow(TypeError);
  });

  it('is rejected for invalid country codes and IP blocks, with their path and a correction', () => {
    const text = readFileSync(SANDBOX, 'utf8')
      .replace('blockedCountries: []', 'blockedCountries: [GB, UK, ROM]')
      .replace('blockedIps: []', 'blockedIps: [192.0.2.77/24, "2001:db8::77/64", 192.0.2.0/33]')
      .replace(/^bins: .*$/m, 'bins: [{ bin: "444433", country: SUI }, { bin: "444434", country: DEU }]');
    const at = 'merchants[0].endpoints[3].screening';
    expect(refusal(() => read(text))).toEqual([
      `${at}.blockedCountries[1]: is not an ISO 3166 country: write GB`,
      `${at}.blockedCountries[2]: is not an ISO 3166 country`,
      `${at}.blockedIps[0]: has host bits set: write 192.0.2.0/24, or the address without /24`,
      `${at}.blockedIps[1]: has host bits set: write 2001:db8::/64, or the address without /64`,
      `${at}.blockedIps[2]: must be an IP address or a CIDR block, such as 192.0.2.0/24`,
      'bins[0].country: is not an ISO 3166 country: write CHE',
    ]);
  });

  it('is rejected in production for published keys, loopback, plain HTTP and simulators', () => {
    expect(refusal(() => loadConfiguration(SANDBOX, { NODE_ENV: 'production' }, GATE_ADAPTERS))).toEqual([
      'merchants[0].controlKey: is a published sample, which is refused when NODE_ENV=production: generate a new one',
      'merchants[0].callback.secret: is a published sample, which is refused when NODE_ENV=production: generate a new one',
      'merchants[0].oauthPublicKeyFile: is a published sample, which is refused when NODE_ENV=production: generate a new one',
      'egress.allow[0]: allows loopback addresses, which is refused when NODE_ENV=production',
      'merchants[0].merchantUrl: must be https when NODE_ENV=production, or egress.plainHttp true',
      'merchants[0].endpoints[3].callbackUrl: must be https when NODE_ENV=production, or egress.plainHttp true',
      ...accounts.gates.map(
        (_, index) =>
          `gates[${index}].adapter: approves cards without charging them: refused when NODE_ENV=production, unless allowInProduction is true`,
      ),
    ]);
  });

  it('can be written as JSON with the same result', () => {
    const json = JSON.stringify(parseYaml(readFileSync(SANDBOX, 'utf8')));
    expect(read(json).groupB).toEqual(configuration.groupB);
    expect(read(json).accounts.gates).toEqual(accounts.gates);
  });
});

describe('the device interface', () => {
  const MERCHANT_URL = "rebillControl: either\n    merchantUrl: 'https://shop.example'";
  const withBase = (characters: number, merchant = MERCHANT_URL): string =>
    `publicBaseUrl: https://${'g'.repeat(characters - 'https://.example'.length)}.example\npathPrefix: /paynet\n${MINIMAL.replace('endpoints:', `${merchant}\n    endpoints:`)}`;

  it('accepts a public base URL whose page addresses have 128 characters and rejects a longer one', () => {
    expect(read(withBase(48)).publicBaseUrl).toHaveLength(48);
    expect(refusal(() => read(withBase(49)))).toEqual([
      'publicBaseUrl: is, together with pathPrefix, longer than 55 characters: devices accept addresses of at most 128',
    ]);
  });

  it('sets no length limit if no merchant has a merchant server', () => {
    expect(read(withBase(60, 'rebillControl: either')).publicBaseUrl).toHaveLength(60);
  });

  it('reads its settings and defaults (protocol decisions, section 8)', () => {
    const settings = 'groupB: { httpErrors: status-codes, notificationWaitSeconds: 1.5, feeChoiceMinutes: 0.5 }';
    expect(read(`${MINIMAL}\n${settings}`).groupB).toEqual({ httpErrors: 'status-codes', notificationWaitMs: 1_500, feeChoiceMs: 30_000 });
    expect(read(MINIMAL).groupB).toEqual({ httpErrors: 'always-200', notificationWaitMs: 10_000, feeChoiceMs: 900_000 });
  });
});

it('knows which operations an endpoint serves [W313]', () => {
  const some = read(MINIMAL.replace('gates: [sim-a]', 'gates: [sim-a], operations: [sale, status]')).accounts.merchants[0].endpoints[0];
  expect([servesOperation(some, 'sale'), servesOperation(some, 'void')]).toEqual([true, false]);
  expect(servesOperation(read(MINIMAL).accounts.merchants[0].endpoints[0], 'void')).toBe(true);
});

describe('configuration faults', () => {
  it('are reported all at once, for syntax, environment, schema, keys and relations', () => {
    const text = `
publicBaseUrl: \${BASE_URL}
callbacks: { speedFactor: 0, speed: 1 }
callbacks: { speedFactor: 0 }
merchants:
  - login: acme
    controlKey: zz
    endpoints:
      - { id: "1", currency: USD, gates: [sim-a, sim-x] }
      - { id: "2", currency: EUR, gates: [sim-a] }
      - { id: "3", currency: USD, gates: [sim-a] }
    groups:
      - { id: "1", endpoints: ["1", "3", "7"] }
  - login: acme
    controlKeyFile: missing.key
    endpoints: [{ id: "2", gates: [] }]
gates:
  - { alias: sim-a, adapter: simulator, currencies: [USD] }
  - { alias: sim-a, adapter: simulator, currencies: [USD], cvv: true }
`;
    expect(refusal(() => read(text)).sort()).toEqual(
      [
        'callbacks: occurs twice',
        'callbacks.speedFactor: must be a number from 0.001 to 1000000',
        'gates[1].alias: is the alias of another gate',
        'gates[1].cvv: is not a known key',
        'merchants[0].controlKey: must be hexadecimal once its dashes are removed, of an even length, at least 16 bytes',
        'merchants[0].endpoints[0].gates[1]: is not a gate of this configuration',
        'merchants[0].endpoints[1].gates[0]: does not serve the currency of the endpoint',
        'merchants[0].groups[0].endpoints[1]: has the same currency as another endpoint of the group',
        'merchants[0].groups[0].endpoints[2]: is not an endpoint of this merchant',
        'merchants[0].groups[0].id: is the id of another endpoint or group',
        'merchants[1].controlKeyFile: names a file that cannot be read (ENOENT)',
        'merchants[1].endpoints[0].currency: is required',
        'merchants[1].endpoints[0].gates: must have at least 1',
        'merchants[1].endpoints[0].id: is the id of another endpoint or group',
        'merchants[1].login: is the login of another merchant',
        'publicBaseUrl: needs the environment variable BASE_URL, which is not set',
      ].sort(),
    );
  });

  it("name each line with invalid YAML, without the parser's message", () => {
    expect(refusal(() => read('a: [1\nb: "x'))).toEqual([
      'line 2, column 1: the indentation is wrong',
      'line 2, column 6: a character is missing: a bracket, a comma, a colon or a quote',
    ]);
    expect(refusal(() => read(`${MINIMAL}\nbins: *none`))).toEqual(['bins: is an alias without an anchor']);
    expect(refusal(() => read('a: !!js/function x'))).toEqual(['line 1, column 4: a tag is unknown']);
    expect(refusal(() => read('a: 1\n---\nb: 2'))).toEqual(['line 2, column 1: there is a second document']);
  });

  it.each([
    ['', 'is required|must be a mapping'],
    ['[]', 'must be a mapping'],
    ['text', 'must be a mapping'],
    ['? [1]\n: 2', 'has a key that is not text: put it in quotes'],
    ['1: 2', 'has a key that is not text: put it in quotes'],
    ['__proto__: { x: 1 }', '__proto__: is not a known key'],
    // Before the parser recurses, whose end of the stack may end the process.
    ['['.repeat(50_000), 'cannot be read as YAML: the nesting is too deep'],
    [`${'- '.repeat(2_000)}ж`, 'cannot be read as YAML: the nesting is too deep'],
    [Array.from({ length: 200 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'), 'cannot be read as YAML: the nesting is too deep'],
    ['&a [*a, *a]', 'too large or nested too deep'],
    [`${'['.repeat(40)}${']'.repeat(40)}`, 'too large or nested too deep'],
    [`a: &a [1]\nb: [${'*a, '.repeat(101)}]`, 'too large or nested too deep'],
  ])('are reported for a document that is not a configuration (row %#)', (text, problem) => {
    expect(refusal(() => read(text)).join('\n')).toMatch(new RegExp(problem));
  });

  it('include a missing file', () => {
    expect(refusal(() => loadConfiguration('/no/such/file.yaml', {}, GATE_ADAPTERS))).toEqual([
      ': names a file that cannot be read (ENOENT)',
    ]);
  });

  it('include two merchants with the same control key in different notations', () => {
    const second = `  - login: other\n    controlKey: ${KEY.replaceAll('-', '').toLowerCase()}\n    endpoints: [{ id: "1002", currency: USD, gates: [sim-a] }]\n`;
    expect(refusal(() => read(MINIMAL.replace('gates: [{', `${second}gates: [{`)))).toEqual([
      'merchants[1].controlKey: is the control key of another merchant',
    ]);
  });

  it.each(['127.0.0.0/8', '127.0.0.2', '0.0.0.0/0', '::/0', '::1', '::ffff:127.0.0.1', '126.0.0.0/7', '0.0.0.0'])(
    'include %s as an allowed private target in production',
    (range) => {
      const text = `${MINIMAL}\negress: { allow: ["${range}"] }`.replace(
        'adapter: simulator,',
        'adapter: simulator, allowInProduction: true,',
      );
      expect(read(text).egress.allow).toHaveLength(1);
      expect(refusal(() => read(text.replace(KEY, OWN_KEY), { NODE_ENV: 'production' }))).toEqual([
        'egress.allow[0]: allows loopback addresses, which is refused when NODE_ENV=production',
      ]);
    },
  );

  it('exclude other private targets and an allowed simulator in production', () => {
    const text = `${MINIMAL}\negress: { allow: ["10.0.0.0/8", "fd00::/8"] }`.replace(KEY, OWN_KEY);
    const allowed = (flag: string) => text.replace('adapter: simulator,', `adapter: simulator, allowInProduction: ${flag},`);
    expect(read(allowed('true'), { NODE_ENV: 'production' }).egress.allow).toHaveLength(2);
    expect(read(allowed('"${ALLOWED}"'), { NODE_ENV: 'production', ALLOWED: 'true' }).egress.allow).toHaveLength(2);
    expect(refusal(() => read(allowed('false'), { NODE_ENV: 'production' }))).toHaveLength(1);
  });
});

describe('entry point ids', () => {
  const withIds = (endpoints: readonly string[], groups: readonly string[], more = ''): string => `
merchants:
  - login: acme
    controlKey: ${KEY}
    endpoints: [${endpoints.map((id) => `{ id: "${id}", currency: USD, gates: [sim-a] }`).join(', ')}]
    groups: [${groups.map((id) => `{ id: "${id}", endpoints: ["${endpoints[0]}"] }`).join(', ')}]
${more}
gates: [{ alias: sim-a, adapter: simulator, currencies: [USD, EUR] }]
`;
  const problem = 'begins with the id of another endpoint or group of this merchant, so one checksum could match both: choose another id';

  it('of one merchant are rejected if one is a prefix of another [W497]', () => {
    expect(refusal(() => read(withIds(['12', '13', '129', '1', '2', '1299'], ['200', '3'])))).toEqual([
      `merchants[0].endpoints[0].id: ${problem}`,
      `merchants[0].endpoints[2].id: ${problem}`,
      `merchants[0].endpoints[5].id: ${problem}`,
      `merchants[0].endpoints[1].id: ${problem}`,
      `merchants[0].groups[0].id: ${problem}`,
    ]);
  });

  it('of two merchants may be prefixes of each other', () => {
    const other = `  - { login: other, controlKey: ${OWN_KEY}, endpoints: [{ id: "10011", currency: USD, gates: [sim-a] }] }`;
    expect(read(withIds(['1001', '1002'], ['2001'], other)).accounts.merchants).toHaveLength(2);
  });

  it('are rejected exactly if another id of the same merchant is their prefix [W497]', () => {
    const id = fc.stringMatching(/^[01]{1,4}$/);
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 6 }), (ids) => {
        const begun = ids.filter((one) => ids.some((other) => one !== other && one.startsWith(other)));
        const text = withIds(ids, []);
        const places = begun.length === 0 ? [] : refusal(() => read(text)).map((fault) => fault.slice(0, fault.indexOf(': ')));
        if (begun.length === 0) read(text);
        expect(places.toSorted()).toEqual(begun.map((one) => `merchants[0].endpoints[${ids.indexOf(one)}].id`).toSorted());
      }),
    );
  });
});

describe('${NAME}', () => {
  const withKey = MINIMAL.replace(KEY, '${ACME_KEY}');

  it('is replaced by the value of the environment, also within a text', () => {
    expect(read(withKey, { ACME_KEY: KEY }).accounts.merchants[0].controlKey.reveal()).toBe(KEY);
    const inside = `${MINIMAL}\npublicBaseUrl: https://\${HOST}:\${PORT}`;
    expect(read(inside, { HOST: 'pay.example', PORT: '8443' }).publicBaseUrl).toBe('https://pay.example:8443');
  });

  it('may provide a number or a flag', () => {
    const text = `${MINIMAL}\ncallbacks: { speedFactor: "\${SPEED}" }\negress:\n  plainHttp: \${PLAIN}`;
    const read1 = read(text, { SPEED: '2.5', PLAIN: 'true' });
    expect([read1.callbacks.speedFactor, read1.egress.plainHttp]).toEqual([2.5, true]);
    expect(refusal(() => read(text, { SPEED: '0x10', PLAIN: 'yes' }))).toEqual([
      'egress.plainHttp: must be true or false',
      'callbacks.speedFactor: must be a number from 0.001 to 1000000',
    ]);
  });

  it('keeps digits as a text if a text is expected', () => {
    const digits = '12345678901234567890123456789012';
    expect(read(withKey, { ACME_KEY: digits }).accounts.merchants[0].controlKey.reveal()).toBe(digits);
  });

  it('is not replaced within a value of the environment', () => {
    const text = MINIMAL.replace('gates: [sim-a]', 'gates: [sim-a], descriptor: "${A}"');
    expect(read(text, { A: '${B}', B: 'x' }).accounts.merchants[0].endpoints[0].descriptor).toBe('${B}');
  });

  it.each(['${', '${}', '${A', '${A B}', '${1A}'])('is rejected if it is malformed: %s', (reference) => {
    expect(refusal(() => read(`${MINIMAL}\npublicBaseUrl: '${reference}'`, { A: 'x' }))).toEqual([
      'publicBaseUrl: has a ${ without a variable name and }: write ${NAME}',
    ]);
  });
});

describe('any change of a valid configuration', () => {
  const values = fc.oneof(
    fc.constantFrom(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      1e300,
      '',
      'x',
      '${X}',
      '${HOME',
      'status',
      '1001',
      'USD',
      '100.00',
      [],
      {},
      [[]],
      ['sim-a'],
    ),
    fc.string(),
    fc.jsonValue(),
  );
  const places = (node: unknown, path: (string | number)[] = []): (string | number)[][] =>
    typeof node === 'object' && node !== null
      ? [path, ...Object.entries(node).flatMap(([key, item]) => places(item, [...path, Array.isArray(node) ? Number(key) : key]))]
      : [path];
  const sandbox = parseYaml(readFileSync(SANDBOX, 'utf8')) as Record<string, unknown>;
  const changed = (path: (string | number)[], change: 'replace' | 'remove' | 'add' | 'double', value: unknown): unknown => {
    const copy = structuredClone(sandbox);
    const parent = path.slice(0, -1).reduce<Record<string | number, unknown>>((node, part) => node[part] as Record<string, unknown>, copy);
    const key = path.at(-1);
    if (key === undefined) return value;
    if (change === 'replace') parent[key] = value;
    else if (change === 'remove') delete parent[key];
    else if (change === 'add') parent[`${key}x`] = value;
    else if (Array.isArray(parent)) parent.push(structuredClone(parent[Number(key)]));
    return copy;
  };

  const outcome = (text: string): 'read' | 'refused' => {
    try {
      read(text, { X: 'secret-of-the-environment' });
      return 'read';
    } catch (error) {
      if (!(error instanceof ConfigurationFault)) throw error;
      if (error.faults.length === 0) throw new Error('refused without a fault', { cause: error });
      if (/B17F59B4|37D986B43D20|secret-of-the-environment/.test(error.message))
        throw new Error('a fault shows a secret', { cause: error });
      return 'refused';
    }
  };

  it('is either accepted or rejected with faults that show no secret', () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(
        fc.constantFrom(...places(sandbox)),
        fc.constantFrom('replace', 'remove', 'add', 'double'),
        values,
        (path, change, value) => {
          kinds.add(outcome(stringify(changed(path, change, value))));
        },
      ),
      { numRuns: wholeNumber('CONFIGURATION_CHANGES', 100) },
    );
    expect([...kinds].sort()).toEqual(['read', 'refused']);
  });

  it('of its text is either accepted or rejected with faults that show no secret', () => {
    const text = readFileSync(SANDBOX, 'utf8').replace(/^ *#.*\n/gm, '');
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(6), fc.string({ maxLength: 4, unit: codePoint }), (at, length, inserted) => {
        outcome(text.slice(0, at) + inserted + text.slice(at + length));
      }),
      { numRuns: wholeNumber('CONFIGURATION_TEXT_CHANGES', 100) },
    );
  });
});

it('reads an amount limit exactly as the kernel does', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 999_999_999_999n), (minor) => {
      const text = MINIMAL.replace('gates: [sim-a]', `gates: [sim-a], maxAmount: "${formatAmount(minor)}"`);
      const [endpoint] = read(text).accounts.merchants[0].endpoints;
      expect(endpoint.maxAmountMinor).toBe(parseAmount(formatAmount(minor)));
      expect(endpoint.currency).toBe('USD' as Currency);
    }),
    { numRuns: 50 },
  );
});
