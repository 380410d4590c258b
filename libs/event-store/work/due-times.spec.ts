import { addMs, type MerchantLogin } from '@app/kernel';
import { settle, VirtualClock } from '@app/testing';
import { MemoryOpenWork } from '../testing';
import type { StreamName } from '../core/port';
import { DueTimes } from './due-times';

const HOUR_MS = 3_600_000;

class RebuiltWork extends MemoryOpenWork {
  rebuilt: () => void = () => undefined;

  onRebuilt(listener: () => void): void {
    this.rebuilt = listener;
  }
}

const setUp = () => {
  const clock = new VirtualClock();
  const work = new RebuiltWork();
  const jumps: number[] = [];
  const errors: unknown[] = [];
  let wakes = 0;
  const runner = { wake: () => void wakes++, clockWasSet: () => undefined };
  const ports = { clock, monotonic: clock, scheduler: clock };
  const times = new DueTimes({
    reactors: [{ work, runner }],
    ...ports,
    onJump: (byMs) => jumps.push(byMs),
    onError: (error) => errors.push(error),
  });
  const putsOffByAnHour = (): void =>
    work.add({
      key: 'payment-1',
      stream: 'payment-1' as StreamName,
      task: 'inquire',
      dueAt: addMs(clock.now(), HOUR_MS),
      merchant: 'acme' as MerchantLogin,
      lane: 'acme/sim-a',
    });
  const isDue = (): boolean => [...work.items.values()].every(({ dueAt }) => dueAt <= clock.now());
  return { clock, work, times, errors, wakes: () => wakes, putsOffByAnHour, isDue };
};

describe('DueTimes', () => {
  it('makes all open work due on start', async () => {
    const { times, putsOffByAnHour, isDue, wakes } = setUp();
    putsOffByAnHour();
    times.start();
    await settle(8);
    expect([isDue(), wakes()]).toStrictEqual([true, 1]);
    times.stop();
  });

  it('checks the due times again after a rebuild, which may have restored old ones', async () => {
    const { times, work, putsOffByAnHour, isDue } = setUp();
    times.start();
    await settle(8);
    putsOffByAnHour();
    await settle(8);
    expect(isDue()).toBe(false);
    work.rebuilt();
    await settle(8);
    expect(isDue()).toBe(true);
    times.stop();
  });

  it.each([
    ['before the start', () => undefined],
    ['after a stop', (times: DueTimes) => [times.start(), times.stop()]],
  ])('leaves the due times unchanged if a rebuild completes %s', async (_when, happens) => {
    const { times, work, clock, putsOffByAnHour, isDue } = setUp();
    happens(times);
    await settle(8);
    putsOffByAnHour();
    work.rebuilt();
    await settle(8);
    expect(isDue()).toBe(false);
    expect(clock.pending).toBe(0);
  });
});
