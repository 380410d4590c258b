import fc from 'fast-check';
import { formatAmount, isSameMoney, money, parseAmount, type Currency } from './money';

const USD = 'USD' as Currency;

describe('parseAmount', () => {
  it.each([
    ['0', 0n],
    ['0.0', 0n],
    ['0.00', 0n],
    ['0.01', 1n],
    ['0.1', 10n],
    ['0.29', 29n],
    ['0.94', 94n],
    ['1', 100n],
    ['1.1', 110n],
    ['1.10', 110n],
    ['4.35', 435n],
    ['10.15', 1_015n],
    ['10.42', 1_042n],
    ['10.5', 1_050n],
    ['1234567.89', 123_456_789n],
    ['9999999.99', 999_999_999n],
    ['9999999999', 999_999_999_900n],
    ['15000000.00', 1_500_000_000n],
    ['9999999999.99', 999_999_999_999n],
    ['12345678.9000', 1_234_567_890n],
    ['19.9900', 1_999n],
    ['19.900', 1_990n],
    ['0.000', 0n],
    ['10.00000000', 1_000n],
    ['1234567.89000000', 123_456_789n],
    ['0.10000000000000', 10n],
  ])('parses %s as %s minor units [W18]', (text, minor) => {
    expect(parseAmount(text)).toBe(minor);
  });

  it.each([
    ['an empty text', ''],
    ['a blank before', ' 1'],
    ['a trailing blank', '1 '],
    ['a trailing line break', '1\n'],
    ['a tab', '\t1'],
    ['a no-break space', '1\u00a0'],
    ['a plus sign', '+1'],
    ['a minus sign', '-1'],
    ['minus zero', '-0'],
    ['an exponent', '1e3'],
    ['a capital exponent', '1E3'],
    ['a hexadecimal number', '0x10'],
    ['an octal number', '0o7'],
    ['a leading zero', '01'],
    ['two zeros', '00'],
    ['a leading zero before the dot', '00.50'],
    ['a dot without minor digits', '1.'],
    ['a dot without major digits', '.5'],
    ['only a dot', '.'],
    ['three minor digits', '1.234'],
    ['a third decimal that is no zero', '19.9901'],
    ['a third decimal before a zero', '19.9910'],
    ['a third decimal after a zero', '19.9001'],
    ['17 characters with zeros', '1234567.890000000'],
    ['too many zeros after the dot', '19.'.padEnd(18, '0')],
    ['zeros after a blank', '19.99 00'],
    ['two dots', '1.2.3'],
    ['a comma', '1,5'],
    ['a thousands separator', '1,000'],
    ['an underscore', '1_000'],
    ['a bigint literal', '1n'],
    ['not a number', 'NaN'],
    ['infinity', 'Infinity'],
    ['a NUL', '1\u0000'],
    ['full-width digits', '\uff11\uff12'],
    ['Arabic-Indic digits', '\u0661\u0662'],
    ['a superscript', '1\u00b2'],
    ['11 digits', '12345678901'],
    ['11 digits with decimals', '10000000000.00'],
  ])('refuses %s', (_, text) => {
    expect(parseAmount(text)).toBeUndefined();
  });

  const amountText = fc.stringMatching(/^(0|[1-9]\d{0,9})(\.\d{1,2})?$/);

  it('accepts every text of the grammar, with its exact value [W163, W203]', () => {
    fc.assert(
      fc.property(amountText, (text) => {
        const [major = '', minor = ''] = text.split('.');
        expect(parseAmount(text)).toBe(BigInt(`${major}${minor.padEnd(2, '0')}`));
      }),
      { numRuns: 1_000 },
    );
  });

  it('ignores zeros after the second decimal, up to 16 characters [W494]', () => {
    const padded = fc.tuple(amountText, fc.integer({ min: 0, max: 20 }));
    fc.assert(
      fc.property(padded, ([text, zeros]) => {
        fc.pre(/\.\d\d$/.test(text));
        const long = text + '0'.repeat(zeros);
        expect(parseAmount(long)).toBe(long.length <= 16 ? parseAmount(text) : undefined);
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuses every other text [W203]', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...'0001234567890..+-eExX ,\n'), maxLength: 18 });
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string()), (text) => {
        const unpadded = /^[^]*[.][0-9]{2}(?=0+(?![^]))/.exec(text)?.[0] ?? text;
        const isGrammatical = text.length <= 16 && /^(0|[1-9][0-9]{0,9})([.][0-9]{1,2})?(?![^])/.test(unpadded);
        expect(parseAmount(text) !== undefined).toBe(isGrammatical);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('formatAmount', () => {
  it.each([
    [0n, '0.00'],
    [1n, '0.01'],
    [94n, '0.94'],
    [100n, '1.00'],
    [1_050n, '10.50'],
    [-5n, '-0.05'],
    [-1_234n, '-12.34'],
    [12_345_678_901_234_567_890n, '123456789012345678.90'],
  ])('formats %s as %s', (minor, text) => {
    expect(formatAmount(minor)).toBe(text);
  });

  it('returns text that parses back unchanged, within the range of the grammar', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999n }), (minor) => {
        expect(parseAmount(formatAmount(minor))).toBe(minor);
      }),
      { numRuns: 10_000 },
    );
  });

  it('is exact for any size and never uses an exponent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (minor) => {
        const text = formatAmount(minor);
        expect(text).toMatch(/^-?(0|[1-9]\d*)\.\d{2}$/);
        expect(BigInt(text.replace('.', ''))).toBe(minor);
      }),
      { numRuns: 1_000 },
    );
  });

  it('writes an accepted text with both minor digits', () => {
    fc.assert(
      fc.property(fc.nat({ max: 9_999_999 }), fc.nat({ max: 9 }), (major, tenths) => {
        expect(formatAmount(parseAmount(`${major}.${tenths}`) ?? -1n)).toBe(`${major}.${tenths}0`);
        expect(formatAmount(parseAmount(`${major}`) ?? -1n)).toBe(`${major}.00`);
      }),
    );
  });
});

describe('isSameMoney', () => {
  it('returns true only if both amount and currency are equal', () => {
    expect(money(1n, USD)).toStrictEqual({ minor: 1n, currency: 'USD' });
    expect(isSameMoney(money(1n, USD), money(1n, USD))).toBe(true);
    expect(isSameMoney(money(1n, USD), money(2n, USD))).toBe(false);
    expect(isSameMoney(money(1n, USD), money(1n, 'EUR' as Currency))).toBe(false);
  });
});
