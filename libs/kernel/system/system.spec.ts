import { addMs, sleep, type Instant } from './ports';
import { systemClock, systemIds, systemRandom, systemScheduler } from './system';

describe('system clock, ids, random source and scheduler', () => {
  beforeEach(() => jest.useFakeTimers({ now: 1_704_067_200_000 }));
  afterEach(() => jest.useRealTimers());

  it('return the time in milliseconds since 1970', () => {
    expect(systemClock.now()).toBe(1_704_067_200_000);
    jest.advanceTimersByTime(5);
    expect(systemClock.now()).toBe(addMs(1_704_067_200_000 as Instant, 5));
  });

  it('return distinct UUIDs', () => {
    const ids = Array.from({ length: 1_000 }, () => systemIds.next());
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('return the requested number of random bytes, different each time', () => {
    expect(systemRandom.bytes(0)).toHaveLength(0);
    expect(systemRandom.bytes(32)).toHaveLength(32);
    expect(Buffer.from(systemRandom.bytes(32)).equals(systemRandom.bytes(32))).toBe(false);
  });

  it('return different fractions from 0 up to 1', () => {
    const fractions = Array.from({ length: 1_000 }, () => systemRandom.fraction());
    expect(Math.min(...fractions)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...fractions)).toBeLessThan(1);
    expect(new Set(fractions).size).toBeGreaterThan(900);
  });

  it('run a scheduled function once, when it is due', () => {
    const run = jest.fn<void, []>();
    systemScheduler.after(1_000, run);
    jest.advanceTimersByTime(999);
    expect(run.mock.calls).toStrictEqual([]);
    jest.advanceTimersByTime(100_000);
    expect(run.mock.calls).toStrictEqual([[]]);
  });

  it('do not run a cancelled function', () => {
    const run = jest.fn<void, []>();
    systemScheduler.after(1_000, run).cancel();
    jest.advanceTimersByTime(2_000);
    expect(run.mock.calls).toStrictEqual([]);
  });

  it.each([
    ['a delay beyond what a timer can hold is cut there and does not fire at once', 2_147_483_648, 2_147_483_647],
    ['a delay of hours stays as it is', 7_200_000, 7_200_000],
    ['a time that has passed is now', -5, 0],
  ])('%s', (_, delayMs, waitsMs) => {
    const timer = jest.spyOn(globalThis, 'setTimeout');
    systemScheduler.after(delayMs, () => undefined).cancel();
    expect(timer.mock.calls.map(([, ms]) => ms)).toStrictEqual([waitsMs]);
    timer.mockRestore();
  });

  it('sleep for the given time', async () => {
    let isAwake = false;
    const sleeping = sleep(systemScheduler, 60_000).then(() => (isAwake = true));
    await jest.advanceTimersByTimeAsync(59_999);
    expect(isAwake).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await sleeping;
    expect(isAwake).toBe(true);
  });
});
