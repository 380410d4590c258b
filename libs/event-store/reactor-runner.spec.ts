import type { Instant, MerchantLogin } from '@app/kernel';
import { eventually, settle, VirtualClock } from '@app/testing';
import fc from 'fast-check';
import type { OpenWork, WorkItem } from './open-work';
import type { StreamName } from './port';
import { ReactorRunner } from './reactor-runner';

/** The memory as a projection would keep it, behind a promise. */
class MemoryOfWork implements OpenWork {
  readonly items = new Map<string, WorkItem>();
  looks = 0;
  isAway = false;

  add(...items: readonly WorkItem[]): void {
    for (const item of items) this.items.set(item.key, item);
  }

  async due(now: Instant, limit: number, exceptLanes: readonly string[]): Promise<readonly WorkItem[]> {
    this.looks += 1;
    if (this.isAway) throw new Error('away');
    return [...this.items.values()]
      .filter(({ dueAt, lane }) => dueAt <= now && !exceptLanes.includes(lane))
      .sort((a, b) => a.dueAt - b.dueAt)
      .slice(0, limit);
  }

  async nextDueAt(after: Instant): Promise<Instant | undefined> {
    const times = [...this.items.values()].map(({ dueAt }) => dueAt).filter((dueAt) => dueAt > after);
    return times.length === 0 ? undefined : (Math.min(...times) as Instant);
  }

  async postpone({ key, dueAt: readDueAt }: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void> {
    if (this.isAway) throw new Error('away');
    const item = this.items.get(key);
    if (item?.dueAt === readDueAt) this.items.set(key, { ...item, dueAt });
  }
}

/** Which another process shares: what it `takes` is gone when this one wants it. */
class SharedMemoryOfWork extends MemoryOfWork {
  readonly taken = new Set<string>();
  readonly claims: (readonly [key: string, until: Instant])[] = [];
  isClaimingAway = false;

  async claim(items: readonly WorkItem[], until: Instant): Promise<ReadonlySet<string>> {
    if (this.isClaimingAway) throw new Error('away');
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

const setUp = <Memory extends MemoryOfWork = MemoryOfWork>(
  settings: { inFlightMax?: number; inFlightPerLaneMax?: number; work?: Memory } = {},
) => {
  const clock = new VirtualClock();
  const { work = new MemoryOfWork() as Memory, ...limits } = settings;
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
      return new Promise<void>((resolve, reject) => {
        running.set(item.key, {
          item,
          finish: async (error) => {
            running.delete(item.key);
            if (error === undefined) resolve();
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
  /** As the projection does once the reactor's event is folded. */
  const done = async (key: string): Promise<void> => {
    work.items.delete(key);
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

describe('a reactor runner', () => {
  it('begins what is due, and what becomes due at its time', async () => {
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

  it('begins on a wake-up what has come', async () => {
    const { work, begun, item, start, runner } = setUp();
    await start();
    work.add(item('a'));
    runner.wake();
    await settle();
    expect(begun).toStrictEqual(['a']);
    runner.stop();
  });

  it('begins nothing twice at once, however often it is woken', async () => {
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

  it('does not take for undone what was done a moment ago, nor for done what is still there later', async () => {
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

  it('looks again as soon as each of several that were done, and stand there still, counts as not done', async () => {
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

  it('begins at once what has a new time, although it was done a moment ago', async () => {
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

  it('does one item of a stream at a time, in order', async () => {
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

  it('lets a silent lane hold up nobody else, however much waits in it', async () => {
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
    [30, 64],
    [200, 64],
  ])('leaves room for a lane that has nothing under way, though %d others are silent', async (lanes, each) => {
    const { work, begun, item, start, runner, done } = setUp({ inFlightPerLaneMax: 64 });
    const inLane = (lane: number, count: number) =>
      Array.from({ length: count }, (_, index) => item(`silent-${lane}-${index}`, { lane: `acme/silent-${lane}` }));
    work.add(...Array.from({ length: lanes }, (_, lane) => inLane(lane, lane === 0 ? 100 : 70)).flat());
    await start();
    await settle(100);
    const begunIn = (lane: number): number => begun.filter((key) => key.startsWith(`silent-${lane}-`)).length;
    expect(begunIn(0)).toBeGreaterThanOrEqual(each);
    work.add(item('healthy', { lane: 'acme/sim-b' }));
    runner.wake();
    await settle();
    expect(begun).toContain('healthy');
    await done('healthy');
    expect(runner.inFlight).toBeLessThan(512);
    // What one lane gives back is free for every other.
    const before = begun.length;
    for (const key of begun.filter((key) => key.startsWith('silent-0-'))) await done(key);
    work.items.clear();
    expect(begun.length).toBeGreaterThan(before);
    runner.stop();
  });

  it('gives a lane more as another has less, though nothing of it ended', async () => {
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

  it('keeps within its pool, and takes the next as room comes', async () => {
    const { work, begun, item, start, runner, done } = setUp({ inFlightMax: 4 });
    work.add(...Array.from({ length: 30 }, (_, index) => item(`${index}`, { lane: `lane-${index}` })));
    await start();
    for (let index = 0; index < 30; index++) {
      expect(runner.inFlight).toBeLessThanOrEqual(4);
      await done(`${index}`);
    }
    expect(new Set(begun).size).toBe(30);
    expect(runner.inFlight).toBe(0);
    runner.stop();
  });

  it('does again what threw, later and later, and tells', async () => {
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

  it('does at once what an event has made due meanwhile, although the try before it failed', async () => {
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

  it('does of work that is shared only what it could claim, and looks again at what another one has', async () => {
    const { clock, work, runner, running, begun, item } = setUp({ work: new SharedMemoryOfWork() });
    work.add(item('mine'), item('theirs'), item('later', { dueAt: (clock.now() + 100) as Instant }));
    work.taken.add('theirs');
    const startedAt = clock.now();
    runner.start();
    await settle();
    expect(begun).toStrictEqual(['mine']);
    expect(runner.inFlight).toBe(1);
    expect(work.claims).toStrictEqual([['mine', startedAt + 15_000]]);
    await clock.advance(100);
    expect(begun).toStrictEqual(['mine', 'later']);
    work.taken.clear();
    await clock.advance(5_000);
    expect(begun).toStrictEqual(['mine', 'later', 'theirs']);
    // Its process still lives, and an item under way is not begun again when the claim ends.
    await clock.advance(20_000);
    expect(begun).toHaveLength(3);
    await running.get('mine')?.finish();
    expect(runner.inFlight).toBe(2);
  });

  it('begins nothing that it could not claim, and goes on when it can', async () => {
    const { clock, work, runner, begun, errors, item } = setUp({ work: new SharedMemoryOfWork() });
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

  it('waits a minute at most', async () => {
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

  it('goes on when the memory comes back', async () => {
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

  it('says nothing of a memory that was closed while it looked, once it is stopped', async () => {
    const { work, errors, runner } = setUp();
    let close: (error: Error) => void = () => undefined;
    work.due = () => new Promise((_, reject) => (close = reject));
    runner.start();
    await settle();
    runner.stop();
    close(new Error('closed'));
    await settle();
    expect(errors).toStrictEqual([]);
  });

  it('drains: begins nothing new, and says whether all is done', async () => {
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

  it('loses nothing and exceeds no bound, whatever fails', async () => {
    const plan = fc.array(
      fc.record({ stream: fc.nat(6), lane: fc.nat(2), delayMs: fc.nat(3_000), failures: fc.nat(3), takesMs: fc.nat(500) }),
      { minLength: 1, maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(plan, async (pieces) => {
        const clock = new VirtualClock();
        const work = new MemoryOfWork();
        const left = new Map(pieces.map(({ failures }, index) => [`${index}`, failures]));
        const streams = new Set<string>();
        const lanes = new Map<string, number>();
        const finished: string[] = [];
        // Told apart from the failures that the runner is there to bear.
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
            work.items.delete(key);
            runner.wake();
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
