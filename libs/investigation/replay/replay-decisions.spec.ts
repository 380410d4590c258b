import fc from 'fast-check';
import type { Instant } from '@app/kernel';
import { CardCounts } from './replay-decisions';

const HOUR_MS = 3_600_000;

it('CardCounts counts the orders of a card within the hours of its limit, up to the limit', () => {
  const step = fc.record({ card: fc.constantFrom('a', 'b'), elapsedMs: fc.nat(HOUR_MS) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, count) => {
      const limit = { count, hours: 2 };
      const counts = new CardCounts();
      const taken: { readonly card: string; readonly at: number }[] = [];
      let at = 0;
      for (const { card, elapsedMs } of steps) {
        at += elapsedMs;
        const truly = taken.filter((one) => one.card === card && one.at > at - 2 * HOUR_MS).length;
        const counted = counts.countOf(card, limit, at as Instant);
        expect(Math.min(counted, count)).toBe(Math.min(truly, count));
        counts.add(card, limit, at as Instant);
        taken.push({ card, at });
      }
      expect(counts.isIncomplete).toBe(false);
    }),
  );
});

it('CardCounts drops the least recently used card, and reports that it is incomplete', () => {
  const counts = new CardCounts(2);
  const limit = { count: 1, hours: 1 };
  for (const card of ['a', 'b', 'a', 'c']) counts.add(card, limit, 0 as Instant);
  expect(['a', 'b', 'c'].map((card) => counts.countOf(card, limit, 1 as Instant) > 0)).toStrictEqual([true, false, true]);
  expect(counts.isIncomplete).toBe(true);
});
