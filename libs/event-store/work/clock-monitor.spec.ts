import { VirtualClock } from '@app/testing';
import { ClockMonitor } from './due-times';

const watched = () => {
  const clock = new VirtualClock();
  const jumps: number[] = [];
  const monitor = new ClockMonitor({ clock, monotonic: clock, scheduler: clock, onJump: (byMs) => jumps.push(byMs) });
  monitor.start();
  return { clock, jumps, monitor };
};

describe('ClockMonitor', () => {
  it.each([-86_400_000, -1_000, 1_000, 3_600_000])(
    'reports once, within five seconds, that the wall clock was set by %d ms',
    async (byMs) => {
      const { clock, jumps } = watched();
      await clock.advance(60_000);
      clock.jump(byMs);
      await clock.advance(5_000);
      expect(jumps).toEqual([byMs]);
      await clock.advance(60_000);
      expect(jumps).toEqual([byMs]);
    },
  );

  it('ignores small clock corrections and the normal passing of time', async () => {
    const { clock, jumps } = watched();
    for (let step = 0; step < 20; step++) {
      clock.jump(-900);
      await clock.advance(5_000);
    }
    expect(jumps).toEqual([]);
  });

  it('leaves no timer when it is stopped', async () => {
    const { clock, monitor } = watched();
    monitor.start();
    await clock.advance(20_000);
    expect(clock.pending).toBe(1);
    monitor.stop();
    expect(clock.pending).toBe(0);
  });
});
