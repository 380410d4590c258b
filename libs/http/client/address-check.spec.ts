import { ipRange, parseIp } from '@app/configuration';
import fc from 'fast-check';
import { refusalOfAddress, type EgressPolicy } from './target';

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
])('%s is no target: %s [W341]', (text, reason) => expect(refusal(text)).toBe(reason));

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
])('%s is public', (text) => expect(refusal(text)).toBeUndefined());

it('allows the ranges that the configuration opens, and not their neighbours [W341]', () => {
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

it('refuses an IPv4 address alike in every form', () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      expect(refusal(`::ffff:${text}`)).toBe(refusal(text));
      expect(refusal(`64:ff9b::${text}`)).toBe(refusal(text));
    }),
    { numRuns: 2_000 },
  );
});

it('allows nothing outside of global unicast', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const first = Number((parseIp(text) ?? 0n) >> 125n);
      const isForm = text.toLowerCase().startsWith('::ffff:') || text.toLowerCase().startsWith('64:ff9b:') || text.includes('.');
      if (first !== 1 && !isForm) expect(refusal(text)).toBeDefined();
    }),
    { numRuns: 2_000 },
  );
});
