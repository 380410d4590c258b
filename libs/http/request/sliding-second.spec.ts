import fc from 'fast-check';
import { SECOND_MS, SlidingSecond } from './open-rate-limit';

const mostInASecond = (moments: readonly number[]): number => {
  const sorted = [...moments].sort((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [index, moment] of sorted.entries()) {
    while ((sorted[first] ?? moment) < moment - 1_000) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
};

describe('a sliding second (safety, T35)', () => {
  it('admits its limit at once, and the next request when the first is one second old', () => {
    const second = new SlidingSecond(() => 3);
    expect([10, 10, 400, 400].map((at) => second.take(at))).toStrictEqual([undefined, undefined, undefined, 10 + SECOND_MS - 400]);
    expect(second.take(10 + SECOND_MS - 1)).toBe(1);
    expect([0, 0, 0].map(() => second.take(10 + SECOND_MS))).toStrictEqual([undefined, undefined, 390]);
  });

  it('admits exactly its limit if 1,000 requests arrive simultaneously', () => {
    const second = new SlidingSecond(() => 100);
    const answers = Array.from({ length: 1_000 }, () => second.take(5));
    expect(answers.filter((wait) => wait === undefined)).toHaveLength(100);
    expect(new Set(answers.slice(100))).toStrictEqual(new Set([SECOND_MS]));
  });

  it('admits at most its limit in any period of one second', () => {
    const gaps = fc.array(
      fc.oneof(fc.constant(0), fc.double({ min: 0, max: 3, noNaN: true }), fc.double({ min: 0, max: 2_500, noNaN: true })),
      {
        minLength: 1,
        maxLength: 400,
      },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), gaps, (limit, waits) => {
        const second = new SlidingSecond(() => limit);
        const admitted: number[] = [];
        let now = 1_000;
        for (const wait of waits) {
          now += wait;
          if (second.take(Math.floor(now)) === undefined) admitted.push(now);
        }
        expect(mostInASecond(admitted)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 500 },
    );
  });

  it('admits a request that is retried after the returned delay', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(400), { minLength: 1, maxLength: 60 }), (limit, waits) => {
        const second = new SlidingSecond(() => limit);
        let now = 0;
        for (const wait of waits) {
          now += wait;
          const retryAfterMs = second.take(now);
          if (retryAfterMs === undefined) continue;
          now += retryAfterMs;
          expect(second.take(now)).toBeUndefined();
        }
      }),
    );
  });

  it('frees no slot early if its clock goes back', () => {
    const second = new SlidingSecond(() => 2);
    expect([5_000, 5_000, 100, 4_000].map((at) => second.take(at))).toStrictEqual([undefined, undefined, SECOND_MS, SECOND_MS]);
    expect(second.take(5_000 + SECOND_MS)).toBeUndefined();
  });
});
