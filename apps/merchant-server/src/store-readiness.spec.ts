import { settle, VirtualClock } from '@app/testing';
import { STORE_ANSWER_MS_MAX, StoreReadiness } from './store-readiness';

const silent = new Promise<never>(() => undefined);

describe('the readiness of a store', () => {
  it('is true if the store answers, and false with a reported error if it fails', async () => {
    const clock = new VirtualClock();
    expect(await new StoreReadiness({ head: async () => '1' as never }, clock, () => undefined).isReady()).toBe(true);
    const failures: unknown[] = [];
    const away = new StoreReadiness({ head: () => Promise.reject(new Error('away')) }, clock, (error) => failures.push(error));
    expect(await away.isReady()).toBe(false);
    expect(failures).toStrictEqual([new Error('away')]);
    await settle();
    expect(clock.pending).toBe(0);
  });

  it('is false after the timeout, and concurrent requests share one read', async () => {
    const clock = new VirtualClock();
    let asked = 0;
    const readiness = new StoreReadiness(
      {
        head: () => {
          asked += 1;
          return silent;
        },
      },
      clock,
      () => undefined,
    );
    const answers = [readiness.isReady(), readiness.isReady()];
    await clock.advance(STORE_ANSWER_MS_MAX);
    expect(await Promise.all(answers)).toStrictEqual([false, false]);
    expect(asked).toBe(1);
  });
});
