import { BlockList, SocketAddress } from 'node:net';
import fc from 'fast-check';
import { ipRange, isInRange, parseIp, parseIpRange } from './scalars';

const PLAIN = { numRuns: 2_000 };

describe('IP addresses', () => {
  it.each([
    ['0.0.0.0', 0xffff00000000n],
    ['127.0.0.1', 0xffff7f000001n],
    ['::ffff:127.0.0.1', 0xffff7f000001n],
    ['::ffff:7f00:1', 0xffff7f000001n],
    ['::', 0n],
    ['::1', 1n],
    ['64:ff9b::192.0.2.33', 0x64ff9b0000000000000000c0000221n],
    ['2001:db8::', 0x20010db8000000000000000000000000n],
    ['1:2:3:4:5:6:7:8', 0x00010002000300040005000600070008n],
    ['::2:3:4:5:6:7:8', 0x00000002000300040005000600070008n],
    ['FFFF:ffff:ffff:ffff:ffff:ffff:ffff:ffff', (1n << 128n) - 1n],
  ])('parses %s', (text, value) => expect(parseIp(text)).toBe(value));

  it.each(['', '127.1', '0x7f.0.0.1', '0177.0.0.1', '2130706433', '1.2.3.4.', ' 1.2.3.4', '1.2.3.256', ':::', '1::2::3', 'fe80::1%eth0', '[::1]', 'x'])(
    'rejects %s',
    (text) => expect(parseIp(text)).toBeUndefined(),
  ); // prettier-ignore

  it('parses IPv6 addresses like Node', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const canonical = new SocketAddress({ address: text, family: 'ipv6' }).address;
        expect(parseIp(text)).toBe(parseIp(canonical));
      }),
      PLAIN,
    );
  });
});

describe('IP ranges', () => {
  it.each(['10.0.0.0/8', '10.0.0.1', '0.0.0.0/0', '::/0', 'fd00::/8', '::ffff:10.0.0.0/104'])('parses %s', (text) =>
    expect(parseIpRange(text)?.text).toBe(text),
  );
  it.each(['10.0.0.1/8', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0/', '10.0.0.0/8/8', '/8', 'fd00::/129', 'fd00::1/8', '10.0/8'])(
    'rejects %s',
    (text) => {
      expect(parseIpRange(text)).toBeUndefined();
      expect(() => ipRange(text)).toThrow('is no range of addresses');
    },
  );

  it('contain the same addresses as in Node', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, base, length) => {
        const bits = parseIp(base) ?? 0n;
        const network = (bits >> BigInt(32 - length)) << BigInt(32 - length);
        const text = [24n, 16n, 8n, 0n].map((shift) => String((network >> shift) & 255n)).join('.');
        const list = new BlockList();
        list.addSubnet(text, length, 'ipv4');
        expect(isInRange(parseIp(address) as never, ipRange(`${text}/${length}`))).toBe(list.check(address, 'ipv4'));
      }),
      PLAIN,
    );
  });
});
