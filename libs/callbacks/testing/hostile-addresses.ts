import fc from 'fast-check';

/** An address that a merchant could send to make the service call its internal network. */
export interface HostileAddress {
  readonly kind: string;
  readonly url: string;
  readonly answers?: readonly string[];
}

type Bytes = readonly [number, number, number, number];

const byte = () => fc.integer({ min: 0, max: 255 });
const inRange = (a: number, b: fc.Arbitrary<number> = byte()): fc.Arbitrary<Bytes> => fc.tuple(fc.constant(a), b, byte(), byte());
const at = (...bytes: Bytes): fc.Arbitrary<Bytes> => fc.constant(bytes);

/** Internal IPv4 addresses: mostly the test's listener, and every range that is not public. */
const inside4 = (): fc.Arbitrary<Bytes> =>
  fc.oneof(
    { weight: 8, arbitrary: at(127, 0, 0, 1) },
    { weight: 3, arbitrary: inRange(127) },
    inRange(10),
    inRange(172, fc.integer({ min: 16, max: 31 })),
    inRange(192, fc.constant(168)),
    inRange(100, fc.integer({ min: 64, max: 127 })),
    inRange(169, fc.constant(254)),
    at(169, 254, 169, 254),
    at(169, 254, 170, 2),
    at(100, 100, 100, 200),
    at(168, 63, 129, 16),
    { weight: 2, arbitrary: at(0, 0, 0, 0) },
    inRange(0),
    fc.integer({ min: 224, max: 255 }).chain((first) => inRange(first)),
    inRange(198, fc.constantFrom(18, 19)),
  );

const dotted = (bytes: Bytes): string => bytes.join('.');
const whole = ([a, b, c, d]: Bytes): number => a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
const groups = ([a, b, c, d]: Bytes): readonly [string, string] => [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];

const hex = (value: number): string => `0x${value.toString(16)}`;
const octal = (value: number): string => `0${value.toString(8)}`;
const written = (): fc.Arbitrary<(value: number) => string> =>
  fc.constantFrom(
    (value: number) => String(value),
    hex,
    octal,
    (value: number) => `0X${value.toString(16).toUpperCase()}`,
    (value: number) => `0x000${value.toString(16)}`,
    (value: number) => `000${value.toString(8)}`,
  );
const CIRCLED = ['⓪', '①', '②', '③', '④', '⑤', '⑥', '⑦', '⑧', '⑨'];
const styled = (text: string, digitOf: (digit: number) => string): string => text.replace(/\d/g, (digit) => digitOf(Number(digit)));

const host4 = (bytes: Bytes): fc.Arbitrary<string> => {
  const [a, b, c, d] = bytes;
  const parts = fc.constantFrom<readonly number[]>([a, b, c, d], [a, b, c * 256 + d], [a, b * 65_536 + c * 256 + d], [whole(bytes)]);
  return fc.oneof(
    fc.constant(dotted(bytes)),
    fc.constant(`${dotted(bytes)}.`),
    parts.chain((values) => fc.tuple(...values.map((value) => written().map((write) => write(value))))).map((texts) => texts.join('.')),
    fc.constantFrom(
      styled(dotted(bytes), (digit) => CIRCLED[digit] ?? ''),
      styled(dotted(bytes), (digit) => String.fromCodePoint(0xff10 + digit)),
      styled(dotted(bytes), (digit) => `%3${digit}`),
      dotted(bytes).replaceAll('.', '。'),
      dotted(bytes).replaceAll('.', '%2e'),
    ),
  );
};

const carried = (bytes: Bytes): fc.Arbitrary<string> => {
  const [high, low] = groups(bytes);
  return fc.constantFrom(
    `::ffff:${dotted(bytes)}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `::FFFF:${high.toUpperCase()}:${low}`,
    `::${high}:${low}`,
    `64:ff9b::${dotted(bytes)}`,
    `64:ff9b::${high}:${low}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2002:${high}:${low}:0:0:0:0:1`,
    `2001:0:${high}:${low}::1`,
  );
};
const group = () => fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
const own6 = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', '::0001', '::', '0::0', 'fd00:ec2::254'),
    group().map((text) => `fc00::${text}`),
    group().map((text) => `fd12:${text}::1`),
    group().map((text) => `fe80::${text}`),
    group().map((text) => `fec0::${text}`),
    group().map((text) => `ff02::${text}`),
    group().map((text) => `2001:db8::${text}`),
  );
const inside6 = (): fc.Arbitrary<string> => fc.oneof(own6(), inside4().chain(carried));

const label = () => fc.stringMatching(/^[a-z][a-z0-9]{0,12}$/);
const PUBLIC_ADDRESSES = ['93.184.216.34', '8.8.8.8', '2606:2800:220:1:248:1893:25c8:1946'] as const;

/** An internal address, possibly hidden among public ones. */
const innerAnswers = (): fc.Arbitrary<readonly string[]> => {
  const inner = fc.oneof(inside4().map(dotted), inside6());
  return fc.oneof(
    inner.map((address) => [address]),
    fc.tuple(fc.shuffledSubarray([...PUBLIC_ADDRESSES], { minLength: 1 }), inner).map(([open, address]) => [...open, address]),
    fc.array(inner, { minLength: 1, maxLength: 5 }),
    fc.constant(Array.from({ length: 65 }, (_, index) => `93.184.216.${index}`)),
  );
};

export const hostileAddress = (port: number): fc.Arbitrary<HostileAddress> => {
  const scheme = fc.constantFrom('http', 'https', 'HTTP', 'hTTps');
  const path = fc.constantFrom('', '/', '/callback?a=1', '/latest/meta-data/#x');
  const at = (kind: string, host: fc.Arbitrary<string>): fc.Arbitrary<HostileAddress> =>
    fc.tuple(scheme, host, path).map(([protocol, text, rest]) => ({ kind, url: `${protocol}://${text}:${port}${rest}` }));
  const named = fc
    .tuple(label(), fc.constantFrom('example', 'nip.io', 'merchant.example.'), innerAnswers())
    .map(([first, zone, answers]) => ({
      kind: 'a name of an internal address',
      url: `http://${first}.${zone}:${port}/callback`,
      answers,
    }));
  return fc.oneof(
    { weight: 6, arbitrary: at('IPv4', inside4().chain(host4)) },
    {
      weight: 4,
      arbitrary: at(
        'IPv6',
        inside6().map((text) => `[${text}]`),
      ),
    },
    {
      weight: 2,
      arbitrary: at('localhost', fc.constantFrom('localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ')),
    },
    { weight: 5, arbitrary: named },
    {
      weight: 2,
      arbitrary: at(
        'user names and slashes',
        fc.constantFrom(
          'shop.example@127.0.0.1',
          'shop.example:80@127.0.0.1',
          '127.0.0.1\\@shop.example',
          '\\\\127.0.0.1',
          '@127.0.0.1',
          '127.0.0.1\t',
          '127.0.\n0.1',
          ' 127.0.0.1',
        ),
      ),
    },
  );
};
