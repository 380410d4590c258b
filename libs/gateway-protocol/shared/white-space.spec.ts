import * as fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { trimmed, trimmedEnd, WHITE_SPACE } from './white-space';

const padding = fc.string({ unit: fc.constantFrom(...WHITE_SPACE), maxLength: 5 });

describe('white space (interface 2.1; safety, T23)', () => {
  it.each([...WHITE_SPACE])('drops %j at both ends and keeps it inside [W3]', (blank) => {
    expect(trimmed(`${blank}a${blank}b${blank}`)).toBe(`a${blank}b`);
    expect(trimmedEnd(`${blank}a${blank}`)).toBe(`${blank}a`);
  });

  it.each(['\u00a0', '\u2028', '\ufeff', '\u0000', '\u0085'])('keeps %j, which another language may take for white space', (kept) => {
    expect(trimmed(`${kept}a${kept}`)).toBe(`${kept}a${kept}`);
  });

  it('gives the same for a padded value as for the value, and changes nothing when asked twice', () => {
    fc.assert(
      fc.property(padding, fc.string({ unit: codePoint }), padding, (before, value, after) => {
        expect(trimmed(before + value + after)).toBe(trimmed(value));
        expect(trimmed(trimmed(value))).toBe(trimmed(value));
      }),
    );
  });
});
