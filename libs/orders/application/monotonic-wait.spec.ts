import { addMs } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { MonotonicWait } from './work/work-order.reactor';

const WAIT_MS = 60_000;
const DAY_MS = 86_400_000;

const setUp = () => {
  const clock = new VirtualClock();
  const beganAt = addMs(clock.now(), DAY_MS);
  const wait = new MonotonicWait(clock, clock);
  return { clock, beganAt, wait, isOver: (key = 'order') => wait.isOver(key, beganAt, WAIT_MS) };
};

describe('a wait whose start is ahead of the clock', () => {
  it('is over when its duration has passed since this process first checked it', async () => {
    const { clock, isOver } = setUp();
    expect(isOver()).toBe(false);
    await clock.advance(WAIT_MS - 1);
    expect(isOver()).toBe(false);
    await clock.advance(1);
    expect(isOver()).toBe(true);
  });

  it('starts again after it was over', async () => {
    const { clock, isOver } = setUp();
    isOver();
    await clock.advance(WAIT_MS);
    expect([isOver(), isOver()]).toStrictEqual([true, false]);
    await clock.advance(WAIT_MS);
    expect(isOver()).toBe(true);
  });

  it('is counted separately for each key', async () => {
    const { clock, isOver } = setUp();
    isOver('one');
    await clock.advance(WAIT_MS);
    expect([isOver('other'), isOver('one')]).toStrictEqual([false, true]);
  });

  it('is counted for at most ten thousand keys, then the oldest starts again', async () => {
    const { clock, isOver } = setUp();
    for (let index = 0; index < 10_000; index++) isOver(`order ${index}`);
    await clock.advance(WAIT_MS - 1);
    isOver('one more');
    await clock.advance(1);
    expect([isOver('order 1'), isOver('order 0')]).toStrictEqual([true, false]);
    expect(isOver('order 9999')).toBe(true);
  });
});

describe('a wait whose start is not ahead of the clock', () => {
  it('is never reported as over, since the clock can measure it', async () => {
    const { clock, wait } = setUp();
    const beganAt = clock.now();
    expect(wait.isOver('order', beganAt, WAIT_MS)).toBe(false);
    await clock.advance(10 * WAIT_MS);
    expect(wait.isOver('order', beganAt, WAIT_MS)).toBe(false);
  });

  it.each([
    ['later than that moment', 1],
    ['that very moment', 0],
  ])('starts again if the clock is set back after it showed a time %s', async (_, pastMs) => {
    const { clock, beganAt, isOver } = setUp();
    isOver();
    await clock.advance(WAIT_MS - 1);
    clock.jump(beganAt - clock.now() + pastMs);
    expect(isOver()).toBe(false);
    clock.jump(-DAY_MS);
    await clock.advance(WAIT_MS);
    expect(isOver()).toBe(false);
    await clock.advance(WAIT_MS);
    expect(isOver()).toBe(true);
  });
});
