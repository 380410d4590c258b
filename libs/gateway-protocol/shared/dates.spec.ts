import * as fc from 'fast-check';
import type { Instant } from '@app/kernel';
import { formatInstant } from './dates';

describe('dates on the wire (protocol decisions, section 2) [W44, W201]', () => {
  it.each([
    [0, '1970-01-01 00:00:00 UTC'],
    [1_709_210_096_999, '2024-02-29 12:34:56 UTC'],
    [253_402_300_799_999, '9999-12-31 23:59:59 UTC'],
  ])('%d is %s', (at, text) => expect(formatInstant(at as Instant)).toBe(text));

  it('can be read back to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (at) => {
        expect(Date.parse(formatInstant(at as Instant))).toBe(Math.floor(at / 1_000) * 1_000);
      }),
    );
  });
});
