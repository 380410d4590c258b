import * as fc from 'fast-check';
import { timesPerDoubling } from '@app/testing';
import { readJson } from './json-reader';

const TIMES_MAX = 3;

const read = (text: string) => readJson(Buffer.from(text, 'utf8'));
const complaint = (message: string) => ({ refused: { field: 'body', message: `body ${message}` } });
const MALFORMED = complaint('must be JSON in UTF-8');
const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);

describe('reading JSON (protocol decisions, section 8; safety, T26)', () => {
  it('reads all output of JSON.stringify', () => {
    const isFlat = (value: unknown): boolean => {
      try {
        return !/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value));
      } catch {
        return false;
      }
    };
    const number = fc.oneof(
      fc.maxSafeInteger(),
      fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => Number(value.toFixed(4))),
    );
    const { value } = fc.letrec((tie) => ({
      leaf: fc.oneof(
        number,
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(null, true, false, '"', '\\', '\\"', '{"a":1,"a":2}', '\u2028'),
      ),
      value: fc.oneof(
        { maxDepth: 6 },
        tie('leaf'),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ unit: 'grapheme' }), tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value.filter(isFlat), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const text = JSON.stringify(json, null, indent);
        expect(read(text)).toStrictEqual({ ok: JSON.parse(text) as unknown });
      }),
      { numRuns: 1_000 },
    );
  });

  it('accepts only what JSON.parse accepts, answers a fixed message otherwise, and never throws', () => {
    const scrap = fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '\\', '\\u', '1', '-', '.5', 'e', 'true', 'a', ' ', '"a"', '{"a":1}');
    fc.assert(
      fc.property(fc.array(scrap, { maxLength: 12 }), (scraps) => {
        const text = scraps.join('');
        const answer = read(text);
        if ('ok' in answer) expect(answer.ok).toStrictEqual(JSON.parse(text));
        else expect(answer.refused.message).toMatch(/^body must [a-z]/i);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['nothing', ''],
    ['a blank', ' '],
    ['text after the end', '{} {}'],
    ['a comma too many', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['a comment', '{}//'],
    ['NaN', '{"a":NaN}'],
    ['a leading zero', '{"a":01}'],
    ['a plus', '{"a":+1}'],
    ['hexadecimal', '{"a":0x10}'],
    ['an open string', '{"a":"b'],
    ['an open string after a backslash', '"\\"'],
    ['a bad escape', '{"a":"\\x"}'],
    ['a newline in a string', '{"a":"\n"}'],
    ['a byte order mark', '\uFEFF{}'],
    ['closing brackets without opening ones', '}}]]'],
    ['numbers side by side', '[1 2]'],
  ])('refuses %s', (_, text) => expect(read(text)).toStrictEqual(MALFORMED));

  it.each([
    ['a lone continuation', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['beyond U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0, 0x7d, 0]],
  ])('refuses bytes that are not UTF-8: %s', (_, bytes) => expect(readJson(Uint8Array.from(bytes))).toStrictEqual(MALFORMED));

  it.each([
    ['{"a":1,"a":2}', false],
    ['{"a":1,"\\u0061":2}', false],
    ['{"":1,"":2}', false],
    ['{"b":{"a":1,"c":[{"a":1}],"a":2}}', false],
    ['{"a":{"a":1},"b":{"a":[{"a":1},{"a":2}]}}', true],
    ['{"a":"a","b":"a"}', true],
    ['{"a":1,"A":2}', true],
    ['["a","a"]', true],
  ])('refuses a repeated key in one object in any notation: %s [W370]', (text, isTaken) =>
    expect(read(text)).toStrictEqual(isTaken ? { ok: JSON.parse(text) as unknown } : complaint('must not hold a key twice')),
  );

  it.each(['{"__proto__":{"x":1}}', '{"a":[{"constructor":1}]}', '{"prototype":null}', '{"\\u005f_proto__":1}', '{"a":{"__proto__" :1}}'])(
    'refuses a reserved key: %s',
    (text) => {
      expect(read(text)).toStrictEqual(complaint('must not hold a key that is reserved'));
      expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    },
  );

  it('accepts a reserved word as a value', () =>
    expect(read('["__proto__",{"a":"constructor"}]')).toStrictEqual({ ok: ['__proto__', { a: 'constructor' }] }));

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ])('accepts a depth of at most 10: %s [W370]', (open, close) => {
    const opened = open.startsWith('[{') ? 2 : 1;
    const inside = (depth: number): string => `${open.repeat(depth / opened)}1${close.repeat(depth / opened)}`;
    expect(read(inside(10))).toStrictEqual({ ok: JSON.parse(inside(10)) as unknown });
    expect(read(inside(12))).toStrictEqual(complaint('must not be deeper than 10'));
    expect(read(`{"b":${inside(10)}}`)).toStrictEqual(complaint('must not be deeper than 10'));
  });

  it('refuses great depth without recursing', () =>
    expect(read(nested(100_000, '[', ']'))).toStrictEqual(complaint('must not be deeper than 10')));

  it.each([
    ['9007199254740991', true],
    ['-9007199254740991', true],
    ['9007199254740992', false],
    ['9007199254740993', false],
    ['-9007199254740992', false],
    ['123456789012345678901234567890', false],
    ['9007199254740993.5', false],
    ['1e16', false],
    ['1e400', false],
    ['-1e400', false],
  ])('accepts numbers within 2^53 only: %s [W370]', (token, isTaken) =>
    expect(read(`{"a":${token}}`)).toStrictEqual(isTaken ? { ok: { a: Number(token) } } : complaint('must not hold a number beyond 2^53')),
  );

  it.each([
    ['1.0', true],
    ['-12.000', true],
    ['52.5', true],
    ['1.5e-5', true],
    ['-0', true],
    ['1e3', false],
    ['1.5e1', false],
    ['1.00000000000000000001', false],
    ['0.99999999999999999999', false],
    ['1e-400', false],
  ])('accepts whole numbers written as digits only (safety, T7): %s', (token, isTaken) =>
    expect(read(`[${token}]`)).toStrictEqual(isTaken ? { ok: [Number(token)] } : complaint('must hold whole numbers as digits')),
  );

  it.each(['"\\ud83d"', '{"\\udcb3":1}', '"\\udcb3\\ud83d"', '["a","\\ud800"]'])('refuses a lone surrogate: %s', (text) =>
    expect(read(text)).toStrictEqual(complaint('must hold well-formed Unicode')),
  );

  it('accepts a surrogate pair, escaped or literal', () => expect(read('["\\ud83d\\udcb3","💳"]')).toStrictEqual({ ok: ['💳', '💳'] }));

  it('reads a large body in time linear in its length (safety, T27)', () => {
    const bodies = [
      (n: number) => `{"a":"${'\\"'.repeat(n)}"}`,
      (n: number) => `[${'"\\\\",'.repeat(n)}0]`,
      (n: number) => `{"a":"${'\\\\'.repeat(n)}`,
    ];
    for (const body of bodies) expect(timesPerDoubling(body, read, 120_000, TIMES_MAX)).toBeLessThanOrEqual(TIMES_MAX);
  });
});
