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

describe('TimeLimits', () => {
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

  it('expire sooner for a shorter limit, and never later than the common limit', async () => {
    const { clock, expired, begin } = setUp();
    begin('none left', 0);
    begin('little', 250);
    begin('more than there is', 60_000);
    await clock.advance(60_000);
    expect(expired).toStrictEqual(['none left at 100', 'little at 400', 'more than there is at 1100']);
  });

  it('ignore a repeated end of one limit, so that the others still expire', async () => {
    const { clock, expired, begin } = setUp();
    const end = begin('ended');
    begin('waits');
    end();
    end();
    await clock.advance(5_000);
    expect(expired).toStrictEqual(['waits at 1100']);
  });

  it('do not expire if another limit of the same tick ends them', async () => {
    const clock = new VirtualClock();
    const limits = new TimeLimits(clock, 1_000);
    const expired: string[] = [];
    let endOther = (): void => undefined;
    limits.begin(() => {
      expired.push('first');
      endOther();
    });
    endOther = limits.begin(() => void expired.push('second'));
    await clock.advance(5_000);
    expect(expired).toStrictEqual(['first']);
  });

  it('keep no timer once stopped, and expire pending limits after the next limit begins', async () => {
    const clock = new VirtualClock();
    const limits = new TimeLimits(clock, 1_000);
    const expired: string[] = [];
    limits.stop();
    limits.begin(() => void expired.push('first'));
    limits.stop();
    expect(clock.pending).toBe(0);
    await clock.advance(5_000);
    expect(expired).toStrictEqual([]);
    limits.begin(() => void expired.push('second'));
    expect(clock.pending).toBe(1);
    await clock.advance(1_100);
    expect(expired).toStrictEqual(['first', 'second']);
  });

  it('do not expire once ended, and keep no timer when none is pending', async () => {
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
