import { addMs } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { EarliestTimer } from './earliest-timer';

const setUp = () => {
  const clock = new VirtualClock();
  const begin = clock.now();
  const rung: number[] = [];
  const timer = new EarliestTimer({ clock, scheduler: clock, onDue: () => rung.push(clock.now() - begin) });
  return { clock, timer, rung, after: (ms: number) => timer.at(addMs(clock.now(), ms)) };
};

describe('EarliestTimer', () => {
  it('fires once, at the earliest requested time', async () => {
    const { clock, rung, after } = setUp();
    after(500);
    after(200);
    after(300);
    expect(clock.pending).toBe(1);
    await clock.advance(1_000);
    expect(rung).toEqual([200]);
  });

  it('fires again for a time requested after it fired', async () => {
    const { clock, rung, after } = setUp();
    after(200);
    await clock.advance(200);
    after(300);
    await clock.advance(1_000);
    expect(rung).toEqual([200, 500]);
  });

  it('fires after 1 ms if the requested time has passed, never synchronously', async () => {
    const { clock, rung, after } = setUp();
    after(-5);
    expect(rung).toEqual([]);
    await clock.advance(1);
    expect(rung).toEqual([1]);
  });

  it('does not fire after it is cancelled, until a new time is requested', async () => {
    const { clock, timer, rung, after } = setUp();
    after(200);
    timer.cancel();
    await clock.advance(1_000);
    expect([rung, clock.pending]).toEqual([[], 0]);
    after(200);
    await clock.advance(200);
    expect(rung).toEqual([1_200]);
  });
});
