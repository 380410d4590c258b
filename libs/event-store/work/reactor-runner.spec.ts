import fc from 'fast-check';
import { addMs, type Instant, type MerchantLogin } from '@app/kernel';
import { eventually, settle, VirtualClock } from '@app/testing';
import type { WorkItem } from './open-work';
import type { StreamName } from '../core/port';
import { ReactorRunner } from './reactor-runner';
import { BackgroundThrottle } from './background-throttle';
import { MemoryOpenWork } from '../testing';

class SharedMemoryOpenWork extends MemoryOpenWork {
  readonly taken = new Set<string>();
  readonly claims: (readonly [key: string, until: Instant])[] = [];
  isClaimingAway = false;
  readonly together: string[][] = [];
  delayed: Promise<void> | undefined;

  async claim(items: readonly WorkItem[], until: Instant): Promise<ReadonlySet<string>> {
    if (this.isClaimingAway) throw new Error('away');
    this.together.push(items.map(({ key }) => key));
    await this.delayed;
    const claimed = items.filter(({ key, dueAt }) => !this.taken.has(key) && this.items.get(key)?.dueAt === dueAt);
    for (const item of claimed) {
      this.claims.push([item.key, until]);
      await this.postpone(item, until);
    }
    return new Set(claimed.map(({ key }) => key));
  }
}

interface Running {
  readonly item: WorkItem;
  readonly finish: (error?: Error) => Promise<void>;
}

const setUp = <Memory extends MemoryOpenWork = MemoryOpenWork>(
  settings: {
    inFlightMax?: number;
    inFlightPerLaneMax?: number;
    busyElsewhere?: (lane: string) => number;
    throttle?: BackgroundThrottle;
    folded?: () => Promise<void>;
    work?: Memory;
  } = {},
) => {
  const clock = new VirtualClock();
  const { work = new MemoryOpenWork() as Memory, ...limits } = settings;
  const running = new Map<string, Running>();
  const begun: string[] = [];
  const errors: string[] = [];
  const runner = new ReactorRunner({
    work,
    clock,
    scheduler: clock,
    onError: (error, item) => errors.push(`${item?.key ?? 'memory'}: ${error.message}`),
    run: (item) => {
      begun.push(item.key);
      return new Promise<undefined>((resolve, reject) => {
        running.set(item.key, {
          item,
          finish: async (error) => {
            running.delete(item.key);
            if (error === undefined) resolve(undefined);
            else reject(error);
            await settle();
          },
        });
      });
    },
    ...limits,
  });
  const item = (key: string, more: Partial<WorkItem> = {}): WorkItem => ({
    key,
    stream: `payment-${key}` as StreamName,
    task: 'submit',
    dueAt: clock.now(),
    merchant: 'acme' as MerchantLogin,
    lane: 'acme/sim-a',
    ...more,
  });
  const done = async (key: string): Promise<void> => {
    work.remove(key);
    await running.get(key)?.finish();
    runner.wake();
    await settle();
  };
  const start = async (): Promise<void> => {
    runner.start();
    await settle();
  };
  return { clock, work, running, begun, errors, runner, item, done, start };
};

describe('ReactorRunner', () => {
  it('starts due items at once, and later items when they become due', async () => {
    const { clock, work, begun, item, start, runner } = setUp();
    work.add(item('a'), item('b', { dueAt: (clock.now() + 700) as Instant }));
    await start();
    expect(begun).toStrictEqual(['a']);
    await clock.advance(699);
    expect(begun).toStrictEqual(['a']);
    await clock.advance(1);
    expect(begun).toStrictEqual(['a', 'b']);
    runner.stop();
  });

  describe('while requests arrive', () => {
    const busy = () => {
      const clock = new VirtualClock();
      const throttle = new BackgroundThrottle({ monotonic: clock });
      throttle.requestCame();
      const world = setUp({ throttle });
      world.work.add(...Array.from({ length: 6 }, (_, at) => world.item(`${at}`)));
      return world;
    };

    it('starts each item once, a few each turn', async () => {
      const { begun, runner } = busy();
      runner.start();
      await settle(3);
      expect([begun.length < 6, runner.inFlight]).toStrictEqual([true, begun.length]);
      runner.wake();
      await settle(10);
      expect(begun).toStrictEqual(['0', '1', '2', '3', '4', '5']);
      runner.stop();
    });

    it.each(['stop', 'drain'] as const)('starts no more items after a %s', async (end) => {
      const { begun, runner } = busy();
      runner.start();
      await settle(3);
      const before = begun.length;
      void runner[end](0);
      await settle(10);
      expect([before > 0, before < 6, begun.length]).toStrictEqual([true, true, before]);
      runner.stop();
    });
  });

  it('starts new items on a wake-up', async () => {
    const { work, begun, item, start, runner } = setUp();
    await start();
    work.add(item('a'));
    runner.wake();
    await settle();
    expect(begun).toStrictEqual(['a']);
    runner.stop();
  });

  it('runs an item only once, regardless of the number of wake-ups', async () => {
    const { work, begun, item, start, runner, done } = setUp();
    work.add(item('a'));
    await start();
    for (let index = 0; index < 10; index++) {
      runner.wake();
      await settle();
    }
    expect(begun).toStrictEqual(['a']);
    await done('a');
    expect(begun).toStrictEqual(['a']);
    runner.stop();
  });

  it('does not repeat a just finished item, but repeats it if it is still listed after a second', async () => {
    const { clock, work, begun, item, start, runner, running } = setUp();
    work.add(item('a'));
    await start();
    await running.get('a')?.finish();
    runner.wake();
    await settle();
    expect(begun).toStrictEqual(['a']);
    await clock.advance(999);
    expect(begun).toStrictEqual(['a']);
    await clock.advance(1);
    expect(begun).toStrictEqual(['a', 'a']);
    runner.stop();
  });

  it('repeats each of several items one second after it finished if it is still listed', async () => {
    const { clock, work, begun, running, item, start, runner } = setUp();
    work.add(item('a'), item('b'));
    await start();
    await running.get('a')?.finish();
    await clock.advance(500);
    await running.get('b')?.finish();
    await clock.advance(500);
    expect(begun).toStrictEqual(['a', 'b', 'a']);
    await clock.advance(500);
    expect(begun).toStrictEqual(['a', 'b', 'a', 'b']);
    runner.stop();
  });

  describe('with a work table that lags behind the log', () => {
    const behind = () => {
      const asked: (() => void)[] = [];
      const world = setUp({ folded: () => new Promise((resolve) => asked.push(resolve)), inFlightPerLaneMax: 16 });
      const folded = async (): Promise<void> => {
        for (const resolve of asked.splice(0)) resolve();
        await settle();
      };
      const finishAll = async (): Promise<void> => {
        while (world.running.size > 0) for (const { finish } of [...world.running.values()]) await finish();
      };
      const addMany = (count: number): void => {
        const dueAt = (index: number): Instant => (world.clock.now() - count + index) as Instant;
        world.work.add(...Array.from({ length: count }, (_, index) => world.item(String(index).padStart(5, '0'), { dueAt: dueAt(index) })));
      };
      return { ...world, asked, folded, finishAll, addMany };
    };

    it('repeats a finished item only after its event is projected, and at most once a second', async () => {
      const { clock, work, begun, item, start, runner, running, folded } = behind();
      work.add(item('a'));
      await start();
      await running.get('a')?.finish();
      await clock.advance(4_000);
      runner.wake();
      await settle();
      expect(begun).toStrictEqual(['a']);
      await folded();
      await clock.advance(1);
      expect(begun).toStrictEqual(['a', 'a']);
      await running.get('a')?.finish();
      await folded();
      await clock.advance(999);
      expect(begun).toHaveLength(2);
      await clock.advance(1);
      expect(begun).toHaveLength(3);
      runner.stop();
    });

    it('waits once for the projection of items that finished together, and again for items that finish later', async () => {
      const { clock, work, begun, item, start, runner, running, asked, folded } = behind();
      work.add(item('a'), item('b'), item('c'));
      await start();
      await running.get('a')?.finish();
      await running.get('b')?.finish();
      await running.get('c')?.finish();
      expect(asked).toHaveLength(1);
      await folded();
      expect(asked).toHaveLength(1);
      await clock.advance(1_000);
      expect(begun).toStrictEqual(['a', 'b', 'c', 'a']);
      await folded();
      await clock.advance(1_000);
      expect(begun).toStrictEqual(['a', 'b', 'c', 'a', 'b', 'c']);
      runner.stop();
    });

    it.each(['does not respond', 'fails'])('repeats a finished item after a minute if the projection %s', async (how) => {
      const folded = (): Promise<void> => (how === 'fails' ? Promise.reject(new Error('away')) : new Promise(() => undefined));
      const { clock, work, begun, item, start, runner, running } = setUp({ folded });
      work.add(item('a'));
      await start();
      await running.get('a')?.finish();
      await clock.advance(59_999);
      expect(begun).toStrictEqual(['a']);
      await clock.advance(1);
      expect(begun).toStrictEqual(['a', 'a']);
      runner.stop();
    });

    it('starts an item in a lane without finished items although hundreds of another lane await projection', async () => {
      const { work, begun, item, start, runner, finishAll } = behind();
      work.add(...Array.from({ length: 1_000 }, (_, index) => item(`quick-${index}`, { lane: 'acme/quick' })));
      await start();
      await finishAll();
      const before = begun.length;
      expect(before).toBeLessThan(600);
      work.add(item('other-1', { lane: 'zoo/quick' }), item('other-2', { lane: 'zoo/quick' }));
      runner.wake();
      await settle();
      expect(begun.slice(before)).toStrictEqual(['other-1']);
      runner.stop();
    });

    it('reads at most 256 items of a lane at a time, however many have finished', async () => {
      const { clock, work, begun, start, runner, running, folded, addMany } = behind();
      const waiting = 10_000;
      addMany(waiting);
      const limits: number[] = [];
      const firstOf = work.firstOf.bind(work);
      work.firstOf = (lanes, limit) => {
        limits.push(limit);
        return firstOf(lanes, limit);
      };
      await start();
      while (begun.length < waiting) {
        const before = begun.length;
        for (const { item, finish } of [...running.values()]) {
          work.remove(item.key);
          await finish();
        }
        await folded();
        if (before % 1_600 === 0) await clock.advance(1_000);
      }
      expect(new Set(begun).size).toBe(waiting);
      expect(Math.max(...limits)).toBeLessThanOrEqual(256);
      runner.stop();
    });

    it('leaves no timer after it stops', async () => {
      const { clock, work, item, start, runner, running } = behind();
      work.add(item('a'), item('b'));
      await start();
      await running.get('a')?.finish();
      runner.stop();
      await running.get('b')?.finish();
      await settle();
      expect(clock.pending).toBe(0);
    });

    it('starts a finished item at once if it has a new due time', async () => {
      const { clock, work, begun, item, start, runner, running, folded } = behind();
      work.add(item('a'));
      await start();
      await clock.advance(10);
      await running.get('a')?.finish();
      work.add(item('a', { dueAt: clock.now() }));
      runner.wake();
      await settle();
      expect(begun).toStrictEqual(['a', 'a']);
      await running.get('a')?.finish(new Error('no luck'));
      await folded();
      await clock.advance(199);
      expect(begun).toHaveLength(2);
      await clock.advance(1);
      expect(begun).toHaveLength(3);
      runner.stop();
    });

    it('pauses at 512 finished items that await projection, and continues once they are projected', async () => {
      const { work, begun, start, runner, folded, finishAll, addMany } = behind();
      const waiting = 2_000;
      addMany(waiting);
      await start();
      await finishAll();
      const stoppedAt = begun.length;
      expect(stoppedAt).toBeGreaterThanOrEqual(512);
      expect(stoppedAt).toBeLessThan(512 + 2 * 16);
      while (begun.length < waiting) {
        const before = begun.length;
        for (const key of begun) work.remove(key);
        await folded();
        await folded();
        await finishAll();
        expect(begun.length).toBeGreaterThan(before);
      }
      expect(new Set(begun).size).toBe(waiting);
      expect(work.returnedCount).toBeLessThan(8 * waiting);
      runner.stop();
    });
  });

  it('starts a just finished item at once if it has a new due time', async () => {
    const { clock, work, begun, item, start, runner, running } = setUp();
    work.add(item('a'));
    await start();
    await clock.advance(10);
    await running.get('a')?.finish();
    work.add(item('a', { dueAt: clock.now() }));
    runner.wake();
    await settle();
    expect(begun).toStrictEqual(['a', 'a']);
    runner.stop();
  });

  it('runs the items of a stream one at a time, in order of their due times', async () => {
    const { clock, work, begun, item, start, runner, done } = setUp();
    const stream = 'payment-1' as StreamName;
    work.add(
      item('second', { stream, dueAt: (clock.now() - 1) as Instant }),
      item('first', { stream, dueAt: (clock.now() - 2) as Instant }),
    );
    work.add(item('other'));
    await start();
    expect(begun).toStrictEqual(['first', 'other']);
    await done('first');
    expect(begun).toStrictEqual(['first', 'other', 'second']);
    runner.stop();
  });

  it('runs other lanes while one lane hangs with thousands of waiting items', async () => {
    const { work, begun, item, start, runner, done, clock } = setUp({ inFlightMax: 16, inFlightPerLaneMax: 3 });
    work.add(
      ...Array.from({ length: 6_000 }, (_, index) =>
        item(`silent-${index}`, { lane: 'acme/silent', dueAt: (clock.now() - 1_000) as Instant }),
      ),
    );
    work.add(item('healthy-1', { lane: 'acme/sim-b' }), item('healthy-2', { lane: 'acme/sim-b' }));
    await start();
    runner.wake();
    await settle();
    expect(begun.filter((key) => key.startsWith('silent'))).toHaveLength(3);
    expect(begun).toEqual(expect.arrayContaining(['healthy-1', 'healthy-2']));
    await done('healthy-1');
    work.add(item('healthy-3', { lane: 'acme/sim-b' }));
    runner.wake();
    await settle();
    expect(begun).toContain('healthy-3');
    await done('silent-0');
    expect(begun.filter((key) => key.startsWith('silent'))).toHaveLength(4);
    runner.stop();
  });

  it.each([
    [4, 51],
    [30, 8],
    [200, 1],
  ])('leaves capacity for an idle lane while %d other lanes hang', async (lanes, each) => {
    const { work, begun, item, start, runner, done } = setUp({ inFlightPerLaneMax: 64 });
    const inLane = (lane: number, count: number) =>
      Array.from({ length: count }, (_, index) => item(`silent-${lane}-${index}`, { lane: `acme/silent-${lane}` }));
    work.add(...Array.from({ length: lanes }, (_, lane) => inLane(lane, lane === 0 ? 100 : 70)).flat());
    await start();
    await settle(100);
    const begunIn = (lane: number): number => begun.filter((key) => key.startsWith(`silent-${lane}-`)).length;
    const shares = Array.from({ length: lanes }, (_, lane) => begunIn(lane));
    expect(Math.min(...shares)).toBe(each);
    expect(Math.max(...shares) - each).toBeLessThanOrEqual(1);
    work.add(item('healthy', { lane: 'acme/sim-b' }));
    runner.wake();
    await settle();
    expect(begun).toContain('healthy');
    await done('healthy');
    expect(runner.inFlight).toBeLessThan(512);
    const before = begun.length;
    for (const key of begun.filter((key) => key.startsWith('silent-0-'))) await done(key);
    for (const key of [...work.items.keys()]) work.remove(key);
    expect(begun.length).toBeGreaterThan(before);
    runner.stop();
  });

  it('shares free capacity equally with a lane that started later', async () => {
    const { work, begun, item, start, runner, done } = setUp({ inFlightMax: 16, inFlightPerLaneMax: 6 });
    work.add(...Array.from({ length: 4 }, (_, index) => item(`a-${index}`, { lane: 'a' })));
    await start();
    work.add(...Array.from({ length: 8 }, (_, index) => item(`b-${index}`, { lane: 'b' })));
    runner.wake();
    await settle();
    expect(begun).toStrictEqual(['a-0', 'a-1', 'a-2', 'a-3', 'b-0', 'b-1']);
    await done('a-0');
    await done('a-1');
    await done('a-2');
    expect(begun.slice(6)).toStrictEqual(['b-2', 'b-3']);
    runner.stop();
  });

  it('runs at most inFlightMax items, and starts the next when one ends', async () => {
    const { work, begun, item, start, runner, running, done } = setUp({ inFlightMax: 4 });
    work.add(...Array.from({ length: 30 }, (_, index) => item(`${index}`, { lane: `lane-${index}` })));
    await start();
    for (let index = 0; index < 30; index++) {
      expect(runner.inFlight).toBe(Math.min(4, 30 - index));
      const [first] = running.keys();
      await done(first ?? 'nothing runs');
    }
    expect(new Set(begun).size).toBe(30);
    expect(runner.inFlight).toBe(0);
    runner.stop();
  });

  it('repeats an item that throws with growing delays, and reports each error', async () => {
    const { clock, work, begun, errors, item, start, runner, running, done } = setUp();
    work.add(item('a'));
    await start();
    for (const backOffMs of [200, 400, 800, 1_600]) {
      await running.get('a')?.finish(new Error('no luck'));
      await clock.advance(backOffMs - 1);
      expect(running.has('a')).toBe(false);
      await clock.advance(1);
      expect(running.has('a')).toBe(true);
    }
    expect(errors).toStrictEqual(Array.from({ length: 4 }, () => 'a: no luck'));
    await done('a');
    expect(begun).toHaveLength(5);
    runner.stop();
  });

  it('postpones an item to the time that its run returns', async () => {
    const clock = new VirtualClock();
    const work = new MemoryOpenWork();
    const times: number[] = [];
    const run = () => Promise.resolve(addMs(clock.now(), times.push(clock.now()) * 3_000));
    const runner = new ReactorRunner({ work, clock, scheduler: clock, run, onError: (error) => expect(error).toBeUndefined() });
    const from = clock.now();
    work.add({ key: 'a', stream: 'payment-a' as StreamName, task: 't', dueAt: from, merchant: 'acme' as MerchantLogin, lane: 'l' });
    runner.start();
    await clock.advance(10_000);
    expect(times).toStrictEqual([from, from + 3_000, from + 9_000]);
    runner.stop();
  });

  it('starts an item at once if an event rescheduled it while its last run failed', async () => {
    const { clock, work, begun, item, start, runner, running } = setUp();
    work.add(item('a'));
    await start();
    await clock.advance(10);
    work.add(item('a', { dueAt: clock.now() }));
    await running.get('a')?.finish(new Error('no luck'));
    runner.wake();
    await settle();
    expect(begun).toStrictEqual(['a', 'a']);
    runner.stop();
  });

  it('runs only the shared items that it could claim, and reads the others again later', async () => {
    const { clock, work, runner, running, begun, item } = setUp({ work: new SharedMemoryOpenWork() });
    work.add(item('mine'), item('theirs'), item('later', { dueAt: (clock.now() + 100) as Instant }));
    work.taken.add('theirs');
    const startedAt = clock.now();
    runner.start();
    await settle();
    expect(begun).toStrictEqual(['mine']);
    expect(runner.inFlight).toBe(1);
    expect(work.claims).toStrictEqual([['mine', startedAt + 15_000]]);
    expect(running.get('mine')?.item).toMatchObject({ dueAt: startedAt + 15_000, dueBeforeClaim: startedAt });
    await clock.advance(100);
    expect(begun).toStrictEqual(['mine', 'later']);
    work.taken.clear();
    await clock.advance(5_000);
    expect(begun).toStrictEqual(['mine', 'later', 'theirs']);
    // A live process must not start a running item again when its claim ends.
    await clock.advance(20_000);
    expect(begun).toHaveLength(3);
    await running.get('mine')?.finish();
    expect(runner.inFlight).toBe(2);
  });

  const whileClaimIsUnderWay = async () => {
    const set = setUp({ work: new SharedMemoryOpenWork(), inFlightPerLaneMax: 3 });
    const { work, runner, running, item } = set;
    work.add(item('a'), item('b'), item('c'), item('d'), item('e'), item('f'));
    runner.start();
    await settle();
    let answer = (): void => undefined;
    work.delayed = new Promise((resolve) => (answer = resolve));
    await running.get('a')?.finish();
    await running.get('b')?.finish();
    await running.get('c')?.finish();
    return { ...set, answer };
  };

  it('claims items together that become ready while another claim is in progress', async () => {
    const { work, begun, answer } = await whileClaimIsUnderWay();
    expect([begun, work.together]).toStrictEqual([
      ['a', 'b', 'c'],
      [['a', 'b', 'c'], ['d']],
    ]);
    answer();
    await settle();
    expect([begun, work.together]).toStrictEqual([
      ['a', 'b', 'c', 'd', 'e', 'f'],
      [['a', 'b', 'c'], ['d'], ['e', 'f']],
    ]);
  });

  it.each(['stop', 'drain'] as const)('gives back what it claims during a %s, and claims no more', async (end) => {
    const { work, runner, begun, clock, answer } = await whileClaimIsUnderWay();
    await clock.advance(10);
    const ended = runner[end](1_000);
    answer();
    await settle();
    await ended;
    expect([work.together, begun, runner.inFlight]).toStrictEqual([[['a', 'b', 'c'], ['d']], ['a', 'b', 'c'], 0]);
    expect(work.items.get('d')?.dueAt).toBe(clock.now());
  });

  it('gives back the claims of items that outlast a drain, and keeps those of finished items', async () => {
    const { clock, work, runner, running, item } = setUp({ work: new SharedMemoryOpenWork() });
    work.add(item('quick'), item('slow'));
    runner.start();
    await settle();
    const claimedUntil = clock.now() + 15_000;
    await running.get('quick')?.finish();
    const drained = runner.drain(1_000);
    await clock.advance(1_000);
    await expect(drained).resolves.toBe(false);
    expect(['quick', 'slow'].map((key) => work.items.get(key)?.dueAt)).toStrictEqual([claimedUntil, clock.now()]);
    runner.stop();
  });

  it('starts nothing while claims fail, and continues when they succeed', async () => {
    const { clock, work, runner, begun, errors, item } = setUp({ work: new SharedMemoryOpenWork() });
    work.add(item('a'), item('b'));
    work.isClaimingAway = true;
    runner.start();
    await settle();
    expect(begun).toStrictEqual([]);
    expect([runner.inFlight, errors]).toStrictEqual([0, ['memory: away']]);
    work.isClaimingAway = false;
    await clock.advance(1_000);
    expect(begun).toStrictEqual(['a', 'b']);
  });

  it('delays a failing item by at most a minute', async () => {
    const { clock, work, item, start, runner, running } = setUp();
    work.add(item('a'));
    await start();
    for (let index = 0; index < 20; index++) {
      await running.get('a')?.finish(new Error('no luck'));
      await clock.advance(60_000);
      expect(running.has('a')).toBe(true);
    }
    runner.stop();
  });

  it('continues when the work table is available again', async () => {
    const { clock, work, begun, errors, item, start, runner } = setUp();
    work.isAway = true;
    work.add(item('a'));
    await start();
    await clock.advance(1_000);
    expect(begun).toStrictEqual([]);
    expect(errors.length).toBeGreaterThan(1);
    work.isAway = false;
    await clock.advance(5_000);
    expect(begun).toStrictEqual(['a']);
    runner.stop();
  });

  it('reports no error of a work table that was closed during the stop', async () => {
    const { work, errors, runner } = setUp();
    let close: (error: Error) => void = () => undefined;
    work.dueLanes = () => new Promise((_, reject) => (close = reject));
    runner.start();
    await settle();
    runner.stop();
    close(new Error('closed'));
    await settle();
    expect(errors).toStrictEqual([]);
  });

  it('starts nothing new during a drain, and returns whether all items ended', async () => {
    const { clock, work, begun, item, start, runner, running } = setUp();
    work.add(item('a'));
    await start();
    const tooShort = runner.drain(1_000);
    await clock.advance(1_000);
    await expect(tooShort).resolves.toBe(false);
    const enough = runner.drain(1_000);
    work.add(item('b'));
    runner.wake();
    await running.get('a')?.finish();
    await expect(enough).resolves.toBe(true);
    expect(begun).toStrictEqual(['a']);
    await expect(runner.drain(1_000)).resolves.toBe(true);
    runner.stop();
  });

  it.each([1_000, 20_000])('reads no more items than it can run while %d items wait in one lane', async (waiting) => {
    const { clock, work, begun, item, start, runner, running, done } = setUp({ inFlightPerLaneMax: 8 });
    const dueAt = (index: number): Instant => (clock.now() - waiting + index) as Instant;
    work.add(...Array.from({ length: waiting }, (_, index) => item(String(index).padStart(5, '0'), { dueAt: dueAt(index) })));
    await start();
    for (let index = 0; index < 300; index++) {
      const [first] = running.keys();
      await done(first ?? 'nothing runs');
    }
    expect(begun).toStrictEqual(Array.from({ length: 308 }, (_, index) => String(index).padStart(5, '0')));
    expect(work.returnedCount).toBeLessThan(8 * begun.length);
    expect(work.queryCount).toBeLessThan(2 * begun.length);
    runner.stop();
  });

  it('serves thousands of lanes in turn, longest waiting first', async () => {
    const { work, begun, item, start, runner, running, done } = setUp({ inFlightMax: 16 });
    const lanes = 3_000;
    const each = Array.from({ length: lanes }, (_, lane) => [0, 1].map((nth) => item(`${lane}-${nth}`, { lane: `lane-${lane}` })));
    work.add(...each.flat());
    await start();
    const turn = async (): Promise<void> => {
      const [first] = running.keys();
      await done(first ?? 'nothing runs');
    };
    const before = work.queryCount;
    for (let count = 0; count < lanes - 16; count++) await turn();
    // A lane whose turn comes while the last page of lanes is read has another turn before the lanes of that page.
    expect(new Set(begun.map((key) => key.split('-')[0])).size).toBeGreaterThanOrEqual(lanes - 1);
    for (let count = 0; count < lanes + 16; count++) await turn();
    expect(new Set(begun).size).toBe(2 * lanes);
    expect(runner.inFlight).toBe(0);
    expect(work.queryCount - before).toBeLessThan(begun.length);
    runner.stop();
  }, 60_000);

  it('starts work of an idle lane before older work of busy lanes', async () => {
    const { work, begun, item, start, runner, running, done, clock } = setUp({ inFlightMax: 4 });
    const old = (clock.now() - 60_000) as Instant;
    work.add(...Array.from({ length: 100 }, (_, index) => item(`old-${index}`, { lane: `old-${index % 5}`, dueAt: old })));
    await start();
    work.add(item('fresh', { lane: 'fresh' }));
    runner.wake();
    for (let count = 0; count < 10; count++) {
      const [first] = running.keys();
      await done(first ?? 'nothing runs');
    }
    expect(begun).toContain('fresh');
    runner.stop();
  });

  it('skips a lane that is at its limit because of calls outside the runner, until the next wake-up', async () => {
    const full = new Set(Array.from({ length: 2_000 }, (_, index) => `silent-${index}`));
    const { work, begun, item, start, runner, done } = setUp({ inFlightMax: 16, busyElsewhere: (lane) => (full.has(lane) ? 16 : 0) });
    work.add(...[...full].flatMap((lane) => [item(`${lane}-a`, { lane }), item(`${lane}-b`, { lane })]), item('healthy', { lane: 'zoo' }));
    await start();
    expect(begun).toStrictEqual(['healthy']);
    await done('healthy');
    work.add(item('another', { lane: 'zoo' }));
    runner.wake();
    await settle();
    expect(begun).toStrictEqual(['healthy', 'another']);
    expect(work.returnedCount).toBeLessThan(3 * 2_100 + 10);
    full.delete('silent-7');
    runner.wake();
    await settle();
    expect(begun).toStrictEqual(['healthy', 'another', 'silent-7-a', 'silent-7-b']);
    runner.stop();
  });

  it('skips items of a busy stream and runs the items after them', async () => {
    const { work, begun, item, start, runner, done } = setUp({ inFlightPerLaneMax: 4 });
    const stream = 'payment-1' as StreamName;
    work.add(...Array.from({ length: 300 }, (_, index) => item(`a-${String(index).padStart(3, '0')}`, { stream })), item('b'));
    await start();
    expect(begun).toStrictEqual(['a-000', 'b']);
    await done('a-000');
    expect(begun).toStrictEqual(['a-000', 'b', 'a-001']);
    runner.stop();
  });

  it('loses no item and exceeds no limit under random failures', async () => {
    const plan = fc.array(
      fc.record({ stream: fc.nat(6), lane: fc.nat(2), delayMs: fc.nat(3_000), failures: fc.nat(3), takesMs: fc.nat(500) }),
      { minLength: 1, maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(plan, async (pieces) => {
        const clock = new VirtualClock();
        const work = new MemoryOpenWork();
        const left = new Map(pieces.map(({ failures }, index) => [`${index}`, failures]));
        const streams = new Set<string>();
        const lanes = new Map<string, number>();
        const finished: string[] = [];
        // A broken limit must not look like a failure that the runner tolerates.
        const broken: string[] = [];
        const runner = new ReactorRunner({
          work,
          clock,
          scheduler: clock,
          inFlightMax: 6,
          inFlightPerLaneMax: 2,
          onError: () => undefined,
          run: async ({ key, stream, lane }) => {
            if (streams.has(stream)) broken.push(`two of ${stream}`);
            streams.add(stream);
            lanes.set(lane, (lanes.get(lane) ?? 0) + 1);
            if ((lanes.get(lane) ?? 0) > 2) broken.push(`too many of ${lane}`);
            if (streams.size > 6) broken.push('too many in all');
            await new Promise<void>((resolve) => clock.after(pieces[Number(key)]?.takesMs ?? 0, resolve));
            streams.delete(stream);
            lanes.set(lane, (lanes.get(lane) ?? 1) - 1);
            const failures = left.get(key) ?? 0;
            left.set(key, failures - 1);
            if (failures > 0) throw new Error('no luck');
            finished.push(key);
            work.remove(key);
            runner.wake();
            return undefined;
          },
        });
        pieces.forEach(({ stream, lane, delayMs }, index) => {
          const dueAt = (clock.now() + delayMs) as Instant;
          work.add({
            key: `${index}`,
            stream: `payment-${stream}` as StreamName,
            task: 't',
            dueAt,
            merchant: 'acme' as MerchantLogin,
            lane: `${lane}`,
          });
        });
        runner.start();
        await clock.advanceUntil(() => finished.length === pieces.length, 600_000);
        expect(new Set(finished).size).toBe(pieces.length);
        expect(broken).toStrictEqual([]);
        await eventually(() => runner.inFlight === 0);
        runner.stop();
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});
