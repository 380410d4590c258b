import fc from 'fast-check';
import { base32, fromBase32 } from './base32';

describe('a text in base 32', () => {
  it('is read back to the bytes that it was written of', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => expect(fromBase32(base32(bytes))).toStrictEqual(bytes)));
  });

  it.each([
    ['a letter of upper case', 'MY'],
    ['a letter outside the alphabet', 'm1'],
    ['padding', 'my======'],
    ['bits set behind its last byte', 'mz'],
    ['a letter too many', 'mya'],
  ])('is refused with %s', (_, text) => {
    expect(() => fromBase32(text)).toThrow(new Error('not a text in base 32'));
  });
});
