import { VirtualClock } from '@app/testing';
import { TimeLimits } from './time-limits';

const setUp = () => {
  const clock = new VirtualClock();
  const start = clock.now();
  const expired: string[] = [];
  const limits = new TimeLimits(clock, 1_000);
  const begin = (name: string, shorterMs?: number) => limits.begin(() => expired.push(`${name} at ${clock.now() - start}`), shorterMs);
  return { clock, expired, begin };
};

describe('time limits', () => {
  it('expire never early, and at most a tenth of a second late', async () => {
    const { clock, expired, begin } = setUp();
    begin('first');
    await clock.advance(50);
    begin('second');
    await clock.advance(950);
    begin('third');
    await clock.advance(3_000);
    expect(expired).toStrictEqual(['first at 1100', 'second at 1100', 'third at 2100']);
  });

  it('expire sooner for a shorter limit, and never later than the common one', async () => {
    const { clock, expired, begin } = setUp();
    begin('none left', 0);
    begin('little', 250);
    begin('more than there is', 60_000);
    await clock.advance(60_000);
    expect(expired).toStrictEqual(['none left at 100', 'little at 400', 'more than there is at 1100']);
  });

  it('do not expire once stopped, and keep no timer when nothing waits', async () => {
    const { clock, expired, begin } = setUp();
    const stop = begin('stopped');
    await clock.advance(500);
    stop();
    stop();
    await clock.advance(5_000);
    expect(expired).toStrictEqual([]);
    expect(clock.pending).toBe(0);
  });
});
