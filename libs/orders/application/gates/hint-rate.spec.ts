import fc from 'fast-check';
import { VirtualClock } from '@app/testing';
import { HintRate } from './hints';

describe('the rate of hints', () => {
  it('lets at most twice its number through in any second, and its number in the long run, however they come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 200 }),
        async (perSecond, gaps) => {
          const clock = new VirtualClock();
          const rate = new HintRate(perSecond, clock);
          const begunMs = clock.elapsedMs();
          const taken: number[] = [];
          for (const gapMs of gaps) {
            await clock.advance(gapMs);
            for (let tries = 0; tries < 3; tries++) if (rate.take()) taken.push(clock.elapsedMs());
          }
          const seconds = (clock.elapsedMs() - begunMs) / 1_000;
          expect(taken.length).toBeLessThanOrEqual(perSecond * (seconds + 1));
          for (const from of taken) expect(taken.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(2 * perSecond);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('lets hints through again once a second is over', async () => {
    const clock = new VirtualClock();
    const rate = new HintRate(2, clock);
    expect([rate.take(), rate.take(), rate.take()]).toEqual([true, true, false]);
    await clock.advance(499);
    expect(rate.take()).toBe(false);
    await clock.advance(501);
    expect([rate.take(), rate.take(), rate.take()]).toEqual([true, true, false]);
  });
});
