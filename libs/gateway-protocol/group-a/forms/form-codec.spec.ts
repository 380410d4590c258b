import * as fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { encodeForm, malformed, type MalformedReason, PARAMETERS_MAX, parseForm, type Form } from './form-codec';

const parse = (body: string | Uint8Array) => parseForm(typeof body === 'string' ? Buffer.from(body, 'utf8') : body);
const formOf = (body: string | Uint8Array): Form => {
  const parsed = parse(body);
  if ('refused' in parsed) throw new Error(parsed.refused.message);
  return parsed.ok;
};

describe('request bodies (protocol decisions, section 3)', () => {
  it.each<[what: string, body: string, pairs: [string, string][]]>([
    ['nothing', '', []],
    ['a name and a value', 'a=1', [['a', '1']]],
    ['a name without a value', 'a&b=', [['a', ''], ['b', '']]], // prettier-ignore
    ['empty pairs', '&a=1&&b=2&', [['a', '1'], ['b', '2']]], // prettier-ignore
    ['an equals sign in a value', 'a=1=2', [['a', '1=2']]],
    ['a blank as plus and as escape', 'a=x+y%20z%2B', [['a', 'x y z+']]],
    ['escaped UTF-8 in either case of hexadecimal', 'a=%c3%A9%F0%9F%92%B3', [['a', 'é💳']]],
    ['UTF-8 that is not escaped', 'a=é💳', [['a', 'é💳']]],
    ['an escaped name', 'client%5Forderid=1', [['client_orderid', '1']]],
    ['brackets as they are', 'a[b]=1&a[c]=2', [['a[b]', '1'], ['a[c]', '2']]], // prettier-ignore
    ['a byte order mark before the first name', '\ufefflogin=a&b=\ufeff', [['login', 'a'], ['b', '\ufeff']]], // prettier-ignore
    ['names of object members', '__proto__=1&constructor=2', [['__proto__', '1'], ['constructor', '2']]], // prettier-ignore
  ])('reads %s', (_what, body, pairs) => {
    expect([...formOf(body)]).toStrictEqual(pairs);
    expect(({} as Record<string, unknown>)['1']).toBeUndefined();
  });

  const bytes = (...values: number[]): Uint8Array => Uint8Array.from([0x61, 0x3d, ...values]);

  it.each<[what: string, body: string | Uint8Array, reason: MalformedReason, field?: string]>([
    ['a single percent sign', 'amount=5%', 'bad-percent-encoding', 'amount'],
    ['an escape of one digit', 'amount=%4&b=1', 'bad-percent-encoding', 'amount'],
    ['an escape that is not hexadecimal', 'amount=%zz', 'bad-percent-encoding', 'amount'],
    ['a broken escape in a name', '%g1=1', 'bad-percent-encoding'],
    ['an escaped incomplete character', 'city=%C3', 'invalid-utf8', 'city'],
    ['an overlong escape', 'city=%C0%AF', 'invalid-utf8', 'city'],
    ['an escaped surrogate', 'city=%ED%A0%80', 'invalid-utf8', 'city'],
    ['a code point beyond Unicode', 'city=%F4%90%80%80', 'invalid-utf8', 'city'],
    ['a raw invalid byte', bytes(0xff), 'invalid-utf8'],
    ['a raw overlong sequence', bytes(0xc0, 0xaf), 'invalid-utf8'],
    ['a raw surrogate', bytes(0xed, 0xa0, 0x80), 'invalid-utf8'],
    ['a raw NUL', bytes(0x00), 'nul-byte'],
    ['an escaped NUL', 'order_desc=a%00b', 'nul-byte', 'order_desc'],
    ['an escaped NUL in a name', 'a%00=1', 'nul-byte'],
    ['a parameter twice', 'amount=1&b=2&amount=1', 'parameter-twice', 'amount'],
    ['a parameter twice, once escaped', 'amount=1&%61mount=2', 'parameter-twice', 'amount'],
    ['a card number as a name, twice', '4444333322221111=&4444333322221111=', 'parameter-twice'],
    ['a name of markup, twice', '<b>=1&<b>=2', 'parameter-twice'],
  ])('refuses %s', (_what, body, reason, ...[field]) => {
    expect(parse(body)).toMatchObject({ refused: { kind: 'malformed', reason } });
    const { refused } = parse(body) as { refused: { field?: string; message: string } };
    expect(refused.field).toBe(field);
    expect(refused.message).not.toMatch(/4444|<|\0/);
    if (field !== undefined) expect(refused.message).toContain(field);
  });

  it.each<[reason: MalformedReason, message: string]>([
    ['bad-percent-encoding', 'Percent-encoding is broken'],
    ['invalid-utf8', 'Text is not UTF-8'],
    ['nul-byte', 'A NUL byte is not allowed'],
    ['parameter-twice', 'A parameter is given twice'],
    ['too-many-parameters', 'More than 1000 parameters'],
    ['wrong-content-type', 'Content-Type must be application/x-www-form-urlencoded'],
    ['wrong-charset', 'The charset of the Content-Type must be UTF-8: encode the form as UTF-8'],
  ])("reports the fault %s, with the field's name if the name is safe to repeat", (reason, message) => {
    expect(malformed(reason)).toStrictEqual({ kind: 'malformed', reason, message });
    expect(malformed(reason, 'card2_no')).toStrictEqual({ kind: 'malformed', reason, field: 'card2_no', message: `${message}: card2_no` });
  });

  it.each(['ab123456789', 'a123456789', '1a', '!a', 'a b', `a${'b'.repeat(64)}`, ''])('does not repeat the unsafe field name %j', (name) =>
    expect(malformed('nul-byte', name)).not.toHaveProperty('field'),
  );

  it('accepts the maximum number of parameters and rejects one more', () => {
    const parameters = (count: number): string => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&');
    expect([...formOf(parameters(PARAMETERS_MAX))]).toHaveLength(PARAMETERS_MAX);
    expect(parse(parameters(PARAMETERS_MAX + 1))).toMatchObject({ refused: { reason: 'too-many-parameters' } });
    expect(parse('&'.repeat(1 << 20))).toMatchObject({ refused: { reason: 'too-many-parameters' } });
  });

  it('keeps raw values and returns their trimmed text', () => {
    const form = formOf('login=+%09acme%0A&empty=+');
    expect(form.raw('login')).toBe(' \tacme\n');
    expect(form.text('login')).toBe('acme');
    expect(form.text('empty')).toBe('');
    expect(form.raw('absent')).toBeUndefined();
    expect(form.text('absent')).toBe('');
  });

  it('reads a view into a larger buffer without its surroundings', () => {
    expect([...formOf(Buffer.from('xxa=1yy').subarray(2, 5))]).toStrictEqual([['a', '1']]);
  });

  const text = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.constantFrom('a&status=approved', '<script>', '%', '+', '=', '%41', '\r\n', "!'()*~-._"),
  );
  const pairsOnce = fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, maxLength: 6 });

  it('parses back 2,000 forms that it wrote', () => {
    fc.assert(
      fc.property(pairsOnce, (pairs) => {
        fc.pre(pairs.every(([name, value]) => !(name + value).includes('\0')));
        expect([...formOf(encodeForm(pairs))]).toStrictEqual(pairs);
      }),
      { numRuns: 2_000 },
    );
  });

  it('encodes a form as URLSearchParams does', () => {
    fc.assert(
      fc.property(pairsOnce, (pairs) => expect(encodeForm(pairs)).toBe(new URLSearchParams(pairs).toString())),
      { numRuns: 2_000 },
    );
    expect(encodeForm([['a', '\ud800x']])).toBe('a=%EF%BF%BDx');
    expect(encodeForm([['a', undefined], ['b', '1']])).toBe('b=1'); // prettier-ignore
  });

  it('parses or refuses any bytes, and agrees with URLSearchParams on every form it accepts', () => {
    const structured = fc
      .string({ unit: fc.constantFrom('%', '&', '=', '+', '4', '1', 'a', 'é', '\0', ' ') })
      .map((found) => Buffer.from(found));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), structured), (body) => {
        const parsed = parseForm(body);
        if ('refused' in parsed) return;
        expect([...parsed.ok]).toStrictEqual([...new URLSearchParams(`&${Buffer.from(body).toString('utf8')}`)]);
      }),
      { numRuns: 2_000 },
    );
  });
});
