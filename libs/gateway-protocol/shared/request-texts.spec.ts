import fc from 'fast-check';
import { type Instant, formatAmount, parseAmount } from '@app/kernel';
import { codePoint } from '@app/testing/any-text';
import {
  formatInstant,
  isWebAddress,
  WEB_ADDRESS_LENGTH_MAX,
  trimmed,
  trimmedEnd,
  WHITE_SPACE,
  formatRequestAmount,
  parseRequestAmount,
  REQUEST_AMOUNT_LENGTH_MAX,
  unpaddedAmount,
} from './request-texts';

describe('dates on the wire (protocol decisions, section 2) [W44, W201]', () => {
  it.each([
    [0, '1970-01-01 00:00:00 UTC'],
    [1_709_210_096_999, '2024-02-29 12:34:56 UTC'],
    [253_402_300_799_999, '9999-12-31 23:59:59 UTC'],
  ])('formats %d as %s', (at, text) => expect(formatInstant(at as Instant)).toBe(text));

  it('parses back to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (at) => {
        expect(Date.parse(formatInstant(at as Instant))).toBe(Math.floor(at / 1_000) * 1_000);
      }),
    );
  });
});

const long = (length: number): string => 'https://shop.example/'.padEnd(length, 'a');

describe('web addresses in a request (interface 2.4; safety, T16 and T20)', () => {
  it.each([
    'https://shop.example',
    'http://shop.example:8080/back?order=1&x=%20#top',
    'HTTPS://SHOP.example/',
    'https://[2001:db8::1]/back',
    'https://shop.example/@me',
    'https://bücher.example/zurück',
    long(WEB_ADDRESS_LENGTH_MAX),
  ])('accepts %s', (text) => expect(isWebAddress(text)).toBe(true));

  it.each([
    '',
    'shop.example',
    '//shop.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://shop.example',
    'http:shop.example',
    'http:///shop.example',
    'https://',
    'https://?x',
    'https://user@shop.example',
    'https://user:word@shop.example',
    'https://@shop.example',
    'https://good.example\\@evil.example',
    'https://shop.example\\back',
    'https://shop.example/a b',
    'https://shop.example/\r\nSet-Cookie: a=b',
    'https://shop.exa\tmple/',
    '\u0001https://shop.example/',
    'https://shop.example/\u0085',
    'https://shop.example:99999/',
    'https://[::1',
    'https://sh%00op.example/',
    long(WEB_ADDRESS_LENGTH_MAX + 1),
  ])('refuses %j', (text) => expect(isWebAddress(text)).toBe(false));
});

const padding = fc.string({ unit: fc.constantFrom(...WHITE_SPACE), maxLength: 5 });

describe('white space (interface 2.1; safety, T23)', () => {
  it.each([...WHITE_SPACE])('trims %j at both ends and keeps it inside [W3]', (blank) => {
    expect(trimmed(`${blank}a${blank}b${blank}`)).toBe(`a${blank}b`);
    expect(trimmedEnd(`${blank}a${blank}`)).toBe(`${blank}a`);
  });

  it.each(['\u00a0', '\u2028', '\ufeff', '\u0000', '\u0085'])('keeps %j, which other languages may treat as white space', (kept) => {
    expect(trimmed(`${kept}a${kept}`)).toBe(`${kept}a${kept}`);
  });

  it('trims a padded value to the same text as the value, and is idempotent', () => {
    fc.assert(
      fc.property(padding, fc.string({ unit: codePoint }), padding, (before, value, after) => {
        expect(trimmed(before + value + after)).toBe(trimmed(value));
        expect(trimmed(trimmed(value))).toBe(trimmed(value));
      }),
    );
  });
});

describe('the amount of a payment request', () => {
  it.each([
    ['15000000', 1_500_000_000n],
    ['9999999999', 999_999_999_900n],
    ['9999999.99', 999_999_999n],
    ['9999999.990000', 999_999_999n],
    ['10.5', 1_050n],
  ])('%s is %s minor units', (text, minor) => {
    expect(parseRequestAmount(text)).toBe(minor);
  });

  it.each([
    ['11 characters', '15000000.00'],
    ['11 characters without the zeros', '12345678.9000'],
    ['17 characters with zeros', '1234567.890000000'],
    ['11 digits', '12345678901'],
    ['no amount', '1,5'],
  ])('with %s is refused', (_, text) => {
    expect(parseRequestAmount(text)).toBeUndefined();
  });

  it('ignores zeros after its second decimal', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999n }), fc.integer({ min: 0, max: 20 }), (minor, zeros) => {
        const text = formatAmount(minor);
        const long = text + '0'.repeat(zeros);
        expect(unpaddedAmount(long)).toBe(long.length <= 16 ? text : long);
        expect(parseRequestAmount(long)).toBe(long.length <= 16 && text.length <= REQUEST_AMOUNT_LENGTH_MAX ? minor : undefined);
      }),
    );
  });
});

describe('an amount sent to a gateway', () => {
  it.each([
    [1_042n, '10.42'],
    [1_500n, '15.00'],
    [999_999_900n, '9999999.00'],
    [1_500_000_000n, '15000000'],
    [1_234_567_890n, '12345678.9'],
    [999_999_999_900n, '9999999999'],
  ])('%s minor units are sent as %s', (minor, text) => {
    expect(formatRequestAmount(minor)).toBe(text);
  });

  it('parses back unchanged if a request can express it, and is otherwise exact', () => {
    const requested = fc.stringMatching(/^(0|[1-9]\d{0,9})(\.\d{1,2})?$/).filter((text) => text.length <= REQUEST_AMOUNT_LENGTH_MAX);
    fc.assert(
      fc.property(requested, fc.bigInt({ min: 0n, max: 999_999_999_999n }), (text, any) => {
        const minor = parseRequestAmount(text) ?? -1n;
        expect(parseRequestAmount(formatRequestAmount(minor))).toBe(minor);
        expect(parseAmount(formatRequestAmount(any))).toBe(any);
      }),
      { numRuns: 1_000 },
    );
  });
});
