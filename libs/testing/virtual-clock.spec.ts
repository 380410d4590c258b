import { VirtualClock } from './virtual-clock';

describe('a virtual clock', () => {
  it("runs timers in order at their times, and runs each timer's promises before the next timer", async () => {
    const clock = new VirtualClock();
    const start = clock.now();
    const seen: string[] = [];
    clock.after(20, () => seen.push(`second at ${clock.now() - start}`));
    clock.after(10, () => {
      seen.push(`first at ${clock.now() - start}`);
      void Promise.resolve().then(() => seen.push('what follows'));
      clock.after(5, () => seen.push(`third at ${clock.now() - start}`));
    });
    const never = clock.after(15, () => seen.push('cancelled'));
    never.cancel();
    await clock.advance(19);
    expect(seen).toStrictEqual(['first at 10', 'what follows', 'third at 15']);
    await clock.advance(1);
    expect(seen.at(-1)).toBe('second at 20');
    expect(clock.now() - start).toBe(20);
    expect(clock.pending).toBe(0);
  });

  it('advances until a condition holds, and throws if it does not hold in time', async () => {
    const clock = new VirtualClock();
    let beats = 0;
    const beat = (): void => {
      beats += 1;
      clock.after(100, beat);
    };
    clock.after(100, beat);
    await clock.advanceUntil(() => beats === 5);
    expect(beats).toBe(5);
    await expect(clock.advanceUntil(() => false, 1_000)).rejects.toThrow('within 1000 ms of virtual time');
  });

  it('keeps the remaining time of a timer when the clock is set back', async () => {
    const clock = new VirtualClock();
    let isRun = false;
    const kept = clock.after(100, () => (isRun = true));
    clock.jump(-3_600_000);
    await clock.advance(99);
    expect(isRun).toBe(false);
    await clock.advance(1);
    expect(isRun).toBe(true);
    kept.cancel();
  });
});
