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

describe('a wait that began after what the clock shows', () => {
  it('is over once its time has passed since this process first saw it, and not before', async () => {
    const { clock, isOver } = setUp();
    expect(isOver()).toBe(false);
    await clock.advance(WAIT_MS - 1);
    expect(isOver()).toBe(false);
    await clock.advance(1);
    expect(isOver()).toBe(true);
  });

  it('begins anew once it was over', async () => {
    const { clock, isOver } = setUp();
    isOver();
    await clock.advance(WAIT_MS);
    expect([isOver(), isOver()]).toStrictEqual([true, false]);
    await clock.advance(WAIT_MS);
    expect(isOver()).toBe(true);
  });

  it('is counted for each key by itself', async () => {
    const { clock, isOver } = setUp();
    isOver('one');
    await clock.advance(WAIT_MS);
    expect([isOver('other'), isOver('one')]).toStrictEqual([false, true]);
  });

  it('is counted for ten thousand at once: one more, and the oldest begins anew', async () => {
    const { clock, isOver } = setUp();
    for (let index = 0; index < 10_000; index++) isOver(`order ${index}`);
    await clock.advance(WAIT_MS - 1);
    isOver('one more');
    await clock.advance(1);
    expect([isOver('order 1'), isOver('order 0')]).toStrictEqual([true, false]);
    expect(isOver('order 9999')).toBe(true);
  });
});

describe('a wait that the clock can decide', () => {
  it('is never over by this: the clock says so itself', async () => {
    const { clock, wait } = setUp();
    const beganAt = clock.now();
    expect(wait.isOver('order', beganAt, WAIT_MS)).toBe(false);
    await clock.advance(10 * WAIT_MS);
    expect(wait.isOver('order', beganAt, WAIT_MS)).toBe(false);
  });

  it.each([
    ['later than that moment', 1],
    ['that very moment', 0],
  ])('is counted anew where the clock is set back after it showed %s', async (_, pastMs) => {
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
