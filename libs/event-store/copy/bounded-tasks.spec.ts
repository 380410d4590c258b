import { settle, VirtualClock } from '@app/testing';
import { BoundedTasks, RetryPolicy } from './bounded-tasks';
import { EventRefused, OutcomeUnknown, StoreDamaged, StoreUnavailable } from '../core/port';

const heldTask = () => {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  const task = { hasBegun: false, end: (error?: Error) => end(error) };
  const run = (): Promise<void> => {
    task.hasBegun = true;
    return ended;
  };
  return Object.assign(task, { run });
};
const begun = (tasks: readonly { readonly hasBegun: boolean }[]): readonly boolean[] => tasks.map(({ hasBegun }) => hasBegun);

describe('BoundedTasks', () => {
  it('runs at most the given number of tasks at once', async () => {
    const tasks = new BoundedTasks(2);
    const [one, two, three] = [heldTask(), heldTask(), heldTask()];
    await tasks.add([], one.run);
    await tasks.add([], two.run);
    const third = tasks.add([], three.run);
    await settle();
    expect(begun([one, two, three])).toStrictEqual([true, true, false]);
    two.end();
    await third;
    expect(begun([one, two, three])).toStrictEqual([true, true, true]);
    one.end();
    three.end();
    await tasks.drained();
  });

  it('starts no task after a failure, and rejects with the first failure once the running tasks have ended', async () => {
    const tasks = new BoundedTasks(3);
    const [failing, slow, waiting, late] = [heldTask(), heldTask(), heldTask(), heldTask()];
    await tasks.add(['a'], failing.run);
    await tasks.add([], slow.run);
    await tasks.add(['a'], waiting.run);
    const first = new Error('the first');
    failing.end(first);
    await settle();
    await expect(tasks.add([], late.run)).rejects.toBe(first);
    let isDrained = false;
    const draining = tasks.drained().finally(() => (isDrained = true));
    const failed = expect(draining).rejects.toBe(first);
    await settle();
    expect(isDrained).toBe(false);
    slow.end(new Error('the second'));
    await failed;
    expect(begun([waiting, late])).toStrictEqual([false, false]);
  });
});

const setUp = (isStopRequested = (): boolean => false) => {
  const clock = new VirtualClock();
  return { clock, policy: new RetryPolicy(clock, isStopRequested) };
};

const failing = (...failures: Error[]) => {
  const left = [...failures];
  const work = {
    calls: 0,
    run: (): Promise<string> => {
      work.calls++;
      const failure = left.shift();
      return failure === undefined ? Promise.resolve('done') : Promise.reject(failure);
    },
  };
  return work;
};

const away = (): Error => new StoreUnavailable('away');
const FOR_EVER_MS = 600_000;

describe('RetryPolicy', () => {
  it.each([
    ['the store is unavailable', away()],
    ['the answer of an append was lost', new OutcomeUnknown('lost')],
  ])('retries after 250 ms if %s', async (_, failure) => {
    const { clock, policy } = setUp();
    const work = failing(failure);
    const result = policy.run(work.run);
    await clock.advance(249);
    expect(work.calls).toBe(1);
    await clock.advance(1);
    await expect(result).resolves.toBe('done');
    expect(work.calls).toBe(2);
  });

  it('doubles the wait after each failure, up to five seconds', async () => {
    const { clock, policy } = setUp();
    const work = failing(...Array.from({ length: 7 }, away));
    const result = policy.run(work.run);
    await settle();
    const waitsMs: number[] = [];
    for (let calls = work.calls; clock.pending > 0; calls = work.calls) {
      const startedAt = clock.now();
      await clock.advanceUntil(() => work.calls > calls);
      waitsMs.push(clock.now() - startedAt);
    }
    expect(waitsMs).toStrictEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    await expect(result).resolves.toBe('done');
  });

  it('rejects with the last failure after eight attempts', async () => {
    const { clock, policy } = setUp();
    const failures = Array.from({ length: 9 }, (_, index) => new StoreUnavailable(`away ${index + 1}`));
    const work = failing(...failures);
    const ended = expect(policy.run(work.run)).rejects.toBe(failures[7]);
    await clock.advance(FOR_EVER_MS);
    await ended;
    expect(work.calls).toBe(8);
  });

  it.each([
    ['a damaged store', new StoreDamaged('damaged')],
    ['a refused event', new EventRefused('too large')],
    ['any other error', new Error('a bug')],
  ])('does not retry after %s', async (_, failure) => {
    const { clock, policy } = setUp();
    const work = failing(failure);
    await expect(policy.run(work.run)).rejects.toBe(failure);
    expect([work.calls, clock.pending]).toStrictEqual([1, 0]);
  });

  it('rejects with the latest failure, without another retry, once a stop is requested', async () => {
    let isStopRequested = false;
    const { clock, policy } = setUp(() => isStopRequested);
    const failures = [away(), away(), away()];
    const work = failing(...failures);
    const ended = expect(policy.run(work.run)).rejects.toBe(failures[1]);
    await settle();
    isStopRequested = true;
    await clock.advance(FOR_EVER_MS);
    await ended;
    expect(work.calls).toBe(2);
  });
});
