import { createCipheriv, createHash } from 'node:crypto';
import fc from 'fast-check';
import { Shuffle } from './order-numbers';

const keyed = (size: number, seed: number): Shuffle => {
  const key = createHash('sha256').update(String(seed)).digest();
  return new Shuffle(size, (bytes) => createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes)));
};
const RANGE = 1_147_483_648;

describe('Shuffle', () => {
  it.each([1, 2, 3, 4, 5, 8, 9, 10, 99, 100, 101, 1_000, 4_097])('of %i numbers contains each number once', (size) => {
    const shuffle = keyed(size, size);
    const all = Array.from({ length: size }, (_, value) => shuffle.shuffled(value));
    expect(all.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: size }, (_, value) => value));
  });

  it('is a bijection for any small size and key, with restored() as its inverse [W489]', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer(), (size, seed) => {
        const shuffle = keyed(size, seed);
        const all = Array.from({ length: size }, (_, value) => shuffle.shuffled(value));
        expect(new Set(all).size).toBe(size);
        expect(all.map((value) => shuffle.restored(value))).toStrictEqual(Array.from({ length: size }, (_, value) => value));
      }),
      { numRuns: 200 },
    );
  });

  const wide = keyed(RANGE, 11);
  const value = fc.integer({ min: 0, max: RANGE - 1 });

  it('of the whole range of order numbers stays in the range and restores each number, in both directions [W489]', () => {
    fc.assert(
      fc.property(fc.oneof(value, fc.constantFrom(0, 1, RANGE - 2, RANGE - 1)), (one) => {
        for (const way of [wide.shuffled(one), wide.restored(one)]) {
          expect(Number.isInteger(way) && way >= 0 && way < RANGE).toBe(true);
        }
        expect(wide.restored(wide.shuffled(one))).toBe(one);
        expect(wide.shuffled(wide.restored(one))).toBe(one);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same for the same key, and different for a different key', () => {
    const same = keyed(RANGE, 11);
    const first = Array.from({ length: 100 }, (_, one) => same.shuffled(one));
    expect(Array.from({ length: 100 }, (_, one) => wide.shuffled(one))).toStrictEqual(first);
    const other = keyed(RANGE, 12);
    expect(first.filter((number, one) => other.shuffled(one) === number)).toHaveLength(0);
  });

  it('spreads consecutive numbers evenly, so that they do not reveal their order [W489]', () => {
    const drawn = Array.from({ length: 20_000 }, (_, one) => wide.shuffled(one));
    const tenths = new Array<number>(10).fill(0);
    for (const number of drawn) tenths[Math.floor((number / RANGE) * 10)] = (tenths[Math.floor((number / RANGE) * 10)] ?? 0) + 1;
    // Chi-square with 9 degrees of freedom: a fair source exceeds 27.9 once in a thousand. The seed is fixed.
    expect(tenths.reduce((sum, count) => sum + (count - 2_000) ** 2 / 2_000, 0)).toBeLessThan(27.9);
    const rises = drawn.filter((number, one) => number > (drawn[one - 1] ?? Infinity)).length;
    expect(Math.abs(rises - 10_000)).toBeLessThan(300);
  });

  it.each([0, -1, 1.5, 2 ** 32 + 1, Number.NaN])('refuses the size %d', (size) => {
    expect(() => keyed(size, 1)).toThrow(RangeError);
  });

  it.each([-1, RANGE, 0.5, Number.NaN, Infinity])('refuses %d', (one) => {
    expect(() => wide.shuffled(one)).toThrow(RangeError);
    expect(() => wide.restored(one)).toThrow(RangeError);
  });
});
