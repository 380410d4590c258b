import * as fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { isSameHex, isSameSecret } from './same-secret';

describe('comparing secrets (safety, T2) [W312]', () => {
  it('is equality of text, whatever the lengths', () => {
    const text = fc.string({ unit: codePoint, maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(isSameSecret(a, b)).toBe(a === b);
        expect(isSameSecret(a, a)).toBe(true);
      }),
    );
    expect(isSameSecret('a', '')).toBe(false);
    expect(isSameSecret('a', 'a\0')).toBe(false);
    expect(isSameSecret('ab', 'AB')).toBe(false);
  });

  it.each([170, 171, 512, 4_096])('tells texts of %d characters apart by their last', (length) => {
    for (const unit of ['a', '\u20ac']) {
      const text = unit.repeat(length);
      expect(isSameSecret(text, text)).toBe(true);
      expect(isSameSecret(text, `${text.slice(1)}b`)).toBe(false);
      expect(isSameSecret(text, text + unit)).toBe(false);
      expect(isSameSecret(text, unit)).toBe(false);
    }
  });

  it('takes hexadecimal in either case', () => {
    expect(isSameHex('DD5F19', 'dd5f19')).toBe(true);
    expect(isSameHex('DD5F19', 'dd5f18')).toBe(false);
  });
});
