import { configurationFrom, ipRange, parseIp, type ConfigurationFault } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import fc from 'fast-check';
import { codePoint, webAddress } from '@app/testing/any-text';
import {
  checkUrlAtAcceptance,
  egressPolicyOf,
  refusalOfAddress,
  refusalOfConfiguredTarget,
  type EgressPolicy,
  type UrlCheck,
} from './target';

const settings = { allow: [], ports: new Set<number>(), plainHttp: false };
const policy = egressPolicyOf(settings, false);
const verdict = (check: UrlCheck) => (check.kind === 'ok' ? 'ok' : check.reason);
const checked = (text: string, given = policy, source: 'request' | 'configuration' = 'request') =>
  verdict(checkUrlAtAcceptance(text, given, source));

describe('an internal host in any notation', () => {
  const loopback = [
    '127.0.0.1', '127.1', '127.0.1', '127.000.000.001', '0177.0.0.1', '0177.1', '017700000001', '0x7f.1', '0x7f.0.0.1', '0x7f000001', '0X7F000001',
    '2130706433', '127.0.0.1.', '2130706433.', '0x7f.1.', '127.255.255.254', '①②⑦.0.0.1', '１２７.０.０.１', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1',
    '%31%32%37.0.0.1', '127.0.0.%31', '%6c%6f%63alhost', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]',
    '[::FFFF:7F00:0001]', '[0:0:0:0:0:ffff:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', 'localhost', 'localhost.', 'LOCALHOST', 'LocalHost.',
    'ⓛocalhost', 'ｌocalhost', 'a.localhost', 'a.b.localhost.', '0x7f.0x0.0x0.0x1', '00000177.0.0.0x1', '127.0x000001',
  ]; // prettier-ignore
  const others: [string, string][] = [
    ['0', 'unspecified'], ['0.0.0.0', 'unspecified'], ['0x0', 'unspecified'], ['00', 'unspecified'], ['[::]', 'unspecified'], ['10.1', 'private'], ['0xa.1', 'private'],
    ['012.0.0.1', 'private'], ['167772161', 'private'], ['172.16.1', 'private'], ['192.168.1', 'private'], ['0xc0a80001', 'private'], ['3232235521', 'private'],
    ['169.254.169.254', 'metadata'], ['2852039166', 'metadata'], ['0xa9fea9fe', 'metadata'], ['0251.0376.0251.0376', 'metadata'], ['[::ffff:a9fe:a9fe]', 'metadata'],
    ['[64:ff9b::a9fe:a9fe]', 'metadata'], ['[fd00:ec2::254]', 'metadata'], ['①⑥⑨.②⑤④.①⑥⑨.②⑤④', 'metadata'], ['100.64.0.1', 'shared'], ['[fe80::1]', 'link-local'],
    ['[fc00::1]', 'private'], ['[fd12:3456::1]', 'private'], ['[fec0::1]', 'private'], ['[ff02::1]', 'multicast'], ['224.0.0.1', 'multicast'], ['255.255.255.255', 'reserved'],
    ['4294967295', 'reserved'], ['[2002:7f00:1::]', 'tunnel'], ['[2001:0:7f00:1::]', 'tunnel'], ['[2001:db8::1]', 'documentation'], ['192.0.2.1', 'documentation'],
    ['198.18.0.1', 'benchmark'], ['[::127.0.0.1]', 'reserved'], ['[::ffff:0:127.0.0.1]', 'reserved'], ['[64:ff9b:1::127.0.0.1]', 'tunnel'],
    ['127.0.0.256', 'malformed'], ['1.2.3.4.5', 'malformed'], ['4294967296', 'malformed'], ['0x7g.1', 'malformed'], ['[::1%25lo]', 'malformed'], ['[fe80::1%lo]', 'malformed'],
    ['[127.0.0.1]', 'malformed'], ['127.0.0.1%00', 'malformed'], ['127.0.0.1%0d%0a', 'malformed'], ['08.1', 'malformed'], ['a%2fb', 'malformed'],
  ]; // prettier-ignore

  it('is covered by at least sixty notations', () =>
    expect(new Set([...loopback, ...others.map(([host]) => host)]).size).toBeGreaterThanOrEqual(60));
  it.each(loopback)('%s is refused as loopback', (host) => {
    expect([checked(`http://${host}/cb`), checked(`https://${host}:8443/cb`)]).toEqual(['loopback', 'loopback']);
  });
  it.each(others)('%s is refused as %s', (host, reason) => expect(checked(`https://${host}/cb`)).toBe(reason));
});

it.each([
  ['https://merchant.example/cb?a=1', 'ok'],
  ['https://merchant.example./cb', 'ok'],
  ['http://merchant.example:8080', 'ok'],
  ['https://8.8.8.8:8443/', 'ok'],
  ['https://[2606:4700:4700::1111]/', 'ok'],
  ['HTTPS:\\\\merchant.example\\cb', 'ok'],
  ['https:merchant.example', 'ok'],
  ['http:\\\\127.0.0.1\\', 'loopback'],
  ['http:/127.0.0.1', 'loopback'],
  ['http:127.0.0.1', 'loopback'],
  ['//merchant.example', 'malformed'],
  ['merchant.example', 'malformed'],
  ['', 'malformed'],
  [' https://merchant.example', 'malformed'],
  ['https://merchant.example/\r\nX: y', 'malformed'],
  ['java\tscript:alert(1)', 'malformed'],
  ['ht\ntp://127.0.0.1', 'malformed'],
  [`https://merchant.example/${'a'.repeat(2_048)}`, 'malformed'],
  ['ftp://merchant.example', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['gopher://127.0.0.1:25', 'scheme'],
  ['javascript:alert(1)', 'scheme'],
  ['data:text/html,x', 'scheme'],
  ['ws://merchant.example', 'scheme'],
  ['https://user@merchant.example', 'userinfo'],
  ['https://user:pw@merchant.example', 'userinfo'],
  ['https://8.8.8.8#@127.0.0.1', 'ok'],
  ['https://127.0.0.1#@8.8.8.8', 'loopback'],
  ['https://8.8.8.8\\@127.0.0.1', 'ok'],
  ['https://merchant.example:22', 'port'],
  ['https://merchant.example:0', 'port'],
  ['https://merchant.example:8081', 'port'],
  ['https://merchant.example:65536', 'malformed'],
])('checks %j: %s', (text, expected) => expect(checked(text)).toBe(expected));

it('allows the configured extra ports for requests, and every port for addresses of the configuration [W340]', () => {
  const open = egressPolicyOf({ ...settings, ports: new Set([8081]) }, false);
  expect(checked('https://merchant.example:8081', open)).toBe('ok');
  expect(checked('https://merchant.example:8082', open)).toBe('port');
  expect(checked('https://merchant.example:8082', open, 'configuration')).toBe('ok');
  expect(checked('https://127.0.0.1:8082', open, 'configuration')).toBe('loopback');
});

it('allows http outside production, and in production only if the configuration allows it [W339]', () => {
  expect(checked('http://merchant.example', egressPolicyOf(settings, false))).toBe('ok');
  expect(checked('http://merchant.example', egressPolicyOf(settings, true))).toBe('scheme');
  expect(checked('http://merchant.example', egressPolicyOf(settings, true), 'configuration')).toBe('scheme');
  expect(checked('http://merchant.example', egressPolicyOf({ ...settings, plainHttp: true }, true))).toBe('ok');
  expect(checked('https://merchant.example', egressPolicyOf(settings, true))).toBe('ok');
});

it('allows localhost if one of its addresses is allowed', () => {
  const open = egressPolicyOf({ ...settings, allow: [ipRange('127.0.0.1')] }, false);
  expect(checked('http://localhost:8080', open)).toBe('ok');
  expect(checked('http://127.0.0.1:8080', open)).toBe('ok');
  expect(checked('http://[::1]:8080', open)).toBe('loopback');
});

it('returns a result for any text without throwing', () => {
  const text = fc.oneof(fc.string({ unit: codePoint }), webAddress, fc.string().map((host) => `http://${host}`)); // prettier-ignore
  fc.assert(
    fc.property(text, (value) => {
      const check = checkUrlAtAcceptance(value, policy);
      if (check.kind === 'ok')
        expect([check.url.username, check.url.password, /^https?:$/.test(check.url.protocol)]).toEqual(['', '', true]);
      else expect(check.reason).toMatch(/^[a-z-]+$/);
    }),
    { numRuns: 1_000 },
  );
});

it('refuses an invalid address of the configuration file at start and names its path', () => {
  const refusalsOf = (egress: object, address: string, environment: Record<string, string> = {}): readonly string[] => {
    const configuration = {
      egress,
      merchants: [
        {
          login: 'acme',
          controlKey: 'ab'.repeat(16),
          merchantUrl: address,
          endpoints: [{ id: '1001', currency: 'USD', gates: ['sim-a'], callbackUrl: address }],
        },
      ],
      gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: ['USD'], allowInProduction: true }],
    };
    try {
      configurationFrom(JSON.stringify(configuration), {
        source: 'test.json',
        folder: '.',
        environment,
        adapters: GATE_ADAPTERS,
        refusalOfTarget: refusalOfConfiguredTarget,
      });
      return [];
    } catch (error) {
      return (error as ConfigurationFault).faults.map(({ path, problem }) => `${path}: ${problem}`);
    }
  };
  const both = (problem: string): readonly string[] =>
    ['merchants[0].merchantUrl', 'merchants[0].endpoints[0].callbackUrl'].map((path) => `${path}: ${problem}`);
  const never = (reason: string): string => `would never be called (${reason}): add non-public addresses to egress.allow`;
  expect(refusalsOf({}, 'http://127.0.0.1:8081/callback')).toStrictEqual(both(never('loopback')));
  expect(refusalsOf({}, 'http://localhost/callback')).toStrictEqual(both(never('loopback')));
  expect(refusalsOf({}, 'https://10.1.2.3/callback')).toStrictEqual(both(never('private')));
  expect(refusalsOf({ allow: ['127.0.0.1'] }, 'http://127.0.0.1:9/callback')).toStrictEqual([]);
  expect(refusalsOf({ allow: ['::1'] }, 'http://localhost/callback')).toStrictEqual([]);
  expect(refusalsOf({}, 'https://merchant.example:9000/callback')).toStrictEqual([]);
  // The intended range is ambiguous.
  expect(refusalsOf({ allow: ['10.1.2.3/8'] }, 'https://10.1.2.3/callback')).toStrictEqual([
    'egress.allow[0]: has host bits set: write 10.0.0.0/8, or the address without /8',
  ]);
  const production = { NODE_ENV: 'production' };
  expect(refusalsOf({}, 'https://192.168.0.1/callback', production)).toStrictEqual(both(never('private')));
  expect(refusalsOf({}, 'http://merchant.example/callback', production)).toStrictEqual(
    both('must be https when NODE_ENV=production, or egress.plainHttp true'),
  );
});

const closed: EgressPolicy = { allow: [], requestPorts: new Set(), isPlainHttpOpen: true };
const refusal = (text: string, policy = closed) => {
  const address = parseIp(text);
  if (address === undefined) throw new Error(`${text} is no address`);
  return refusalOfAddress(address, policy);
};

it.each([
  ['0.0.0.0', 'unspecified'],
  ['0.255.255.255', 'unspecified'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.0', 'shared'],
  ['100.100.100.200', 'metadata'],
  ['100.127.255.255', 'shared'],
  ['127.0.0.0', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['168.63.129.16', 'metadata'],
  ['169.254.0.1', 'link-local'],
  ['169.254.169.254', 'metadata'],
  ['169.254.170.2', 'metadata'],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.1', 'reserved'],
  ['192.0.0.192', 'metadata'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', 'tunnel'],
  ['192.168.0.1', 'private'],
  ['198.18.0.0', 'benchmark'],
  ['198.19.255.255', 'benchmark'],
  ['198.51.100.7', 'documentation'],
  ['203.0.113.7', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::2', 'reserved'],
  ['::7f00:1', 'reserved'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:0:127.0.0.1', 'reserved'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['64:ff9b::169.254.169.254', 'metadata'],
  ['64:ff9b:1::1.1.1.1', 'tunnel'],
  ['100::1', 'reserved'],
  ['2001::1', 'tunnel'],
  ['2001:2::1', 'benchmark'],
  ['2001:10::1', 'reserved'],
  ['2001:1ff:ffff::', 'reserved'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', 'tunnel'],
  ['2002:808:808::1', 'tunnel'],
  ['3fff::1', 'documentation'],
  ['5f00::1', 'reserved'],
  ['fc00::1', 'private'],
  ['fd00:ec2::254', 'metadata'],
  ['fd20:ce::254', 'metadata'],
  ['fdff::1', 'private'],
  ['fe80::1', 'link-local'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'private'],
  ['ff02::1', 'multicast'],
])('refuses %s as %s [W341]', (text, reason) => expect(refusal(text)).toBe(reason));

it.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2001:200::1',
  '2606:4700:4700::1111',
  '2a00:1450::1',
])('accepts the public address %s', (text) => expect(refusal(text)).toBeUndefined());

it('accepts addresses in configured ranges and refuses adjacent addresses [W341]', () => {
  const open = { ...closed, allow: [ipRange('127.0.0.1'), ipRange('10.1.0.0/16'), ipRange('fd00:1::/32')] };
  expect(['127.0.0.1', '::ffff:127.0.0.1', '10.1.255.255', 'fd00:1::5'].map((text) => refusal(text, open))).toEqual(
    Array(4).fill(undefined),
  );
  expect(['127.0.0.2', '::1', '10.2.0.0', 'fd00:2::5', '64:ff9b::7f00:1'].map((text) => refusal(text, open))).toEqual([
    'loopback',
    'loopback',
    'private',
    'private',
    'loopback',
  ]);
});

it('refuses an IPv4 address for the same reason in every IPv6 form', () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      expect(refusal(`::ffff:${text}`)).toBe(refusal(text));
      expect(refusal(`64:ff9b::${text}`)).toBe(refusal(text));
    }),
    { numRuns: 2_000 },
  );
});

it('refuses every IPv6 address outside global unicast', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const first = Number((parseIp(text) ?? 0n) >> 125n);
      const isForm = text.toLowerCase().startsWith('::ffff:') || text.toLowerCase().startsWith('64:ff9b:') || text.includes('.');
      if (first !== 1 && !isForm) expect(refusal(text)).toBeDefined();
    }),
    { numRuns: 2_000 },
  );
});
