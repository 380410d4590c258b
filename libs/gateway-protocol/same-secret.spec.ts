import * as fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { isSameHex, isSameSecret } from './same-secret';

describe('comparing secrets (safety, T2)', () => {
  it('is equality of text, whatever the lengths', () => {
    const text = fc.string({ unit: codePoint, maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(isSameSecret(a, b)).toBe(a === b);
        expect(isSameSecret(a, a)).toBe(true);
      }),
    );
    expect(isSameSecret('a', '')).toBe(false);
    expect(isSameSecret('ab', 'AB')).toBe(false);
  });

  it('takes hexadecimal in either case', () => {
    expect(isSameHex('DD5F19', 'dd5f19')).toBe(true);
    expect(isSameHex('DD5F19', 'dd5f18')).toBe(false);
  });
});
