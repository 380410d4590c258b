import { formatAmount, parseAmount } from '@app/kernel';
import fc from 'fast-check';
import { formatRequestAmount, parseRequestAmount, REQUEST_AMOUNT_LENGTH_MAX, unpaddedAmount } from './request-amount';

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
  ])('of %s is refused', (_, text) => {
    expect(parseRequestAmount(text)).toBeUndefined();
  });

  it('counts without the zeros after its second decimal', () => {
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

describe('an amount for a request', () => {
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

  it('is read back unchanged if a request can name it, and is otherwise exact', () => {
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
