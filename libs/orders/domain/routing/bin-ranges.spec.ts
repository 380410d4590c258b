import fc from 'fast-check';
import { BinRanges } from './rule-conditions';

const digits = fc.integer({ min: 0, max: 999_999 });
const written = (bin: number): string => String(bin).padStart(6, '0');
const range = fc.tuple(digits, digits).map(([one, other]): readonly [number, number] => [Math.min(one, other), Math.max(one, other)]);
const textOf = ([first, last]: readonly [number, number]): string =>
  first === last ? written(first) : `${written(first)}-${written(last)}`;

describe('ranges of leading digits', () => {
  it('have what lies in one of them, with both ends, and nothing else', () =>
    fc.assert(
      fc.property(fc.array(range, { maxLength: 40 }), fc.array(digits, { maxLength: 20 }), (ranges, others) => {
        const held = new BinRanges(ranges.map(textOf));
        const looked = [...others, ...ranges.flatMap(([first, last]) => [first - 1, first, last, last + 1])].filter(
          (bin) => bin >= 0 && bin <= 999_999,
        );
        for (const bin of looked)
          expect([bin, held.has(written(bin))]).toStrictEqual([bin, ranges.some(([first, last]) => first <= bin && bin <= last)]);
      }),
    ));

  it.each(['', '4', '44443', '4444333'])('have nothing that is not six digits: "%s"', (bin) => {
    expect(new BinRanges(['000000-999999']).has(bin)).toBe(false);
  });
});
