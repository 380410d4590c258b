import { seededRandom } from '@app/testing';
import fc from 'fast-check';
import { cardRefIdFrom, isCardRefId, isOrderId } from './ids';

const BYTES = 32;
const bytesOf = (first: number, rest: number): Uint8Array => Uint8Array.from({ length: BYTES }, (_, index) => (index === 0 ? first : rest));

describe('cardRefIdFrom', () => {
  it('returns the same id for the same bytes, and different ids for different bytes', () => {
    const random = seededRandom(5);
    const ids = new Set<string>();
    let derived = 0;
    for (let draw = 0; draw < 10_000; draw++) {
      const bytes = random.bytes(BYTES);
      const id = cardRefIdFrom(bytes);
      if (id === undefined) continue;
      derived += 1;
      expect(cardRefIdFrom(Uint8Array.from(bytes))).toBe(id);
      ids.add(id);
    }
    expect(ids.size).toBe(derived);
    // The first byte is rejected in 22 of 256 cases; other rejections are rare.
    expect(derived / 10_000).toBeCloseTo(234 / 256, 1);
  });

  it.each([
    [0, 10, 'aaaaaaaaaaaaaaaaaaac'],
    [25, 35, 'zzzzzzzzzzzzzzzzzzzc'],
    [26, 10, 'aaaaaaaaaaaaaaaaaaac'],
    [233, 46, 'zaaaaaaaaaaaaaaaaaac'],
  ])('starts with a letter and ends with c: %i, %i', (first, rest, id) => {
    expect(cardRefIdFrom(bytesOf(first, rest))).toBe(id);
  });

  it.each([
    ['the first byte would make some letters likelier', bytesOf(234, 10)],
    ['the first byte is the highest', bytesOf(255, 10)],
    ['nine digits stand in a row', bytesOf(0, 1)],
    ['too many bytes are passed over', bytesOf(0, 252)],
    ['there are too few bytes', bytesOf(0, 10).subarray(0, 18)],
    ['there are none', new Uint8Array()],
  ])('returns undefined, to request other bytes, if %s', (_, bytes) => {
    expect(cardRefIdFrom(bytes)).toBeUndefined();
  });

  it('always returns 20 characters in the format of a card reference, never an order id [W315]', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: BYTES, maxLength: BYTES }), (bytes) => {
        const id = cardRefIdFrom(bytes);
        fc.pre(id !== undefined);
        expect(id).toMatch(/^[a-z][a-z0-9]{18}c$/);
        expect(id).not.toMatch(/\d{9}/);
        expect(isCardRefId(id)).toBe(true);
        expect(isOrderId(id)).toBe(false);
      }),
    );
  });
});

describe('isCardRefId', () => {
  it.each(['aaaaaaaaaaaaaaaaaaac', 'z12345678a12345678ac'])('accepts %s', (text) => {
    expect(isCardRefId(text)).toBe(true);
  });

  it.each([
    ['a digit first', '1aaaaaaaaaaaaaaaaaac'],
    ['another end', 'aaaaaaaaaaaaaaaaaaar'],
    ['19 characters', 'aaaaaaaaaaaaaaaaaac'],
    ['21 characters', 'aaaaaaaaaaaaaaaaaaaac'],
    ['capitals', 'Aaaaaaaaaaaaaaaaaaac'],
    ['nine digits in a row', 'a123456789aaaaaaaaac'],
    ['a line break', 'aaaaaaaaaaaaaaaaaaac\n'],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(isCardRefId(text)).toBe(false);
  });
});
