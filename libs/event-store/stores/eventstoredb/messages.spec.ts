import fc from 'fast-check';
import type { Position } from '../../core/port';
import { BEFORE_ALL, comparePositions, parsePosition, positionText } from './messages';

const UINT64_MAX = 18_446_744_073_709_551_615n;
const place = fc.tuple(fc.bigInt({ min: 0n, max: UINT64_MAX }), fc.bigInt({ min: 0n, max: UINT64_MAX }));
const text = ([commit, prepare]: readonly [bigint, bigint]): Position => positionText(commit.toString(), prepare.toString());

describe('position of an EventStoreDB log', () => {
  it('keeps all 64 bits of the commit and prepare positions', () => {
    fc.assert(fc.property(place, ([commit, prepare]) => expect(parsePosition(text([commit, prepare]))).toStrictEqual({ commit, prepare })));
  });

  it('is ordered numerically by commit position, then by prepare position', () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        const [sign, opposite] = [Math.sign(comparePositions(text(a), text(b))), Math.sign(comparePositions(text(b), text(a)))];
        expect(sign + opposite).toBe(0);
        const isBefore = a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
        expect(sign === -1).toBe(isBefore);
      }),
      {
        examples: [
          [
            [9n, 9n],
            [10n, 10n],
          ],
          [
            [10n, 0n],
            [10n, 10n],
          ],
          [
            [5n, 5n],
            [5n, 5n],
          ],
        ],
      },
    );
  });

  it('is after BEFORE_ALL for any event', () => {
    expect(comparePositions(BEFORE_ALL, positionText('0', '1'))).toBeLessThan(0);
    expect(comparePositions(BEFORE_ALL, BEFORE_ALL)).toBe(0);
  });

  it.each(['', '5', 'start', '5/', '-1/2', '1/2/3', '1/2x', '123456789012345678901/1'])('is refused if its text is %j', (other) => {
    expect(() => parsePosition(other as Position)).toThrow('is no position of an EventStoreDB log');
  });
});
