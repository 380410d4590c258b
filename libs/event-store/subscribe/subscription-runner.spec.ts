import fc from 'fast-check';
import { eventually, settle, VirtualClock } from '@app/testing';
import { BrokenChain } from '../core/chain';
import { MemoryEventStore } from '../stores/memory';
import {
  StoreUnavailable,
  type EventStore,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
  type SubscriptionItem,
} from '../core/port';
import type { ProjectionStore } from './batch-applier';
import { SubscriptionRunner } from './subscription-runner';
import { BATCH_EVENTS_MAX, BATCH_REST_MS } from './subscription-session';
import { newEvents } from '../testing/new-events';
import { StumblingStore } from '../testing/stumbling-store';

class RecordingProjection implements ProjectionStore {
  at: Position | undefined;
  applied: string[] = [];
  batches: number[] = [];
  parkedStreams: StreamName[] = [];
  poison = new Set<string>();
  failures: Error[] = [];
  isParkingAway = false;

  async position(): Promise<Position | undefined> {
    return this.at;
  }

  async parked(): Promise<readonly StreamName[]> {
    return this.parkedStreams;
  }

  async apply(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    const names = batch.map(({ data }) => (JSON.parse(data) as { name: string }).name);
    if (names.some((name) => this.poison.has(name))) throw new Error(`cannot apply ${names.join()}`);
    this.applied.push(...names);
    this.batches.push(batch.length);
    this.at = upTo;
  }

  async park(event: StoredEvent): Promise<void> {
    if (this.isParkingAway) throw new StoreUnavailable('the read model is away');
    this.parkedStreams.push(event.stream);
    this.at = event.position;
  }
}

const setUp = () => {
  const clock = new VirtualClock();
  const store = new StumblingStore(new MemoryEventStore(clock));
  const projection = new RecordingProjection();
  const parked: string[] = [];
  const retries: string[] = [];
  const newRunner = (on: EventStore = store, onDelivered?: (event: StoredEvent) => void) =>
    new SubscriptionRunner({
      store: on,
      onDelivered,
      categories: ['order'],
      projection,
      clock,
      scheduler: clock,
      onParked: (event, error) => parked.push(`${event.stream}@${event.revision}: ${error.message}`),
      onRetry: (error) => retries.push(error.message),
    });
  const heads = new Map<string, bigint>();
  const write = async (stream: string, ...names: readonly string[]): Promise<void> => {
    for (const name of names) {
      const head = heads.get(stream);
      await store.append(stream as StreamName, head === undefined ? 'no_stream' : (head as Revision), newEvents(`${stream}/${name}`));
      heads.set(stream, (head ?? -1n) + 1n);
    }
  };
  return { clock, store, projection, newRunner, write, parked, retries };
};
const many = (count: number, prefix = ''): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('SubscriptionRunner', () => {
  it('applies past and new events once, in order and in batches', async () => {
    const { clock, projection, newRunner, write } = setUp();
    await write('order-1', ...many(1_200));
    const runner = newRunner();
    runner.start();
    await runner.caughtUp();
    expect(projection.applied).toStrictEqual(many(1_200).map((name) => `order-1/${name}`));
    expect(projection.batches.length).toBeLessThan(10);
    expect(Math.max(...projection.batches)).toBeLessThanOrEqual(BATCH_EVENTS_MAX);
    await write('order-2', 'live');
    await clock.advanceUntil(() => projection.applied.at(-1) === 'order-2/live');
    expect(runner.health()).toMatchObject({ status: 'live', parkedStreams: 0, lastError: undefined });
    await runner.stop();
    expect(runner.health().status).toBe('stopped');
  });

  it('skips events that the projection does not take, still applies full batches, and moves the position to the last event', async () => {
    const { clock, store, projection, newRunner, write } = setUp();
    const takes = ({ stream }: StoredEvent): boolean => stream === 'order-own';
    const taking = Object.assign(projection, { takes });
    for (let at = 0; at < 12; at++) {
      await write('order-own', ...many(100, `${at}-`));
      await write('order-other', ...many(100, `${at}-`));
    }
    const delivered: string[] = [];
    const runner = newRunner(store, ({ stream }) => delivered.push(stream));
    runner.start();
    await runner.caughtUp();
    expect(delivered).toHaveLength(2_400);
    expect(taking.applied).toHaveLength(1_200);
    expect(taking.applied.every((name) => name.startsWith('order-own/'))).toBe(true);
    expect(Math.max(...taking.batches)).toBe(BATCH_EVENTS_MAX);
    expect(taking.at).toBe(await store.head());
    await write('order-other', 'live');
    const head = await store.head();
    await clock.advanceUntil(() => taking.at === head);
    expect(taking.applied).toHaveLength(1_200);
    await write('order-own', 'live');
    await runner.reached(await store.head());
    expect(taking.applied.at(-1)).toBe('order-own/live');
    await runner.stop();
  });

  it('pauses after a batch only if less than a full batch is waiting', async () => {
    const { clock, projection, newRunner, write } = setUp();
    const runner = newRunner();
    runner.start();
    await runner.caughtUp();
    const apply = projection.apply.bind(projection);
    projection.apply = async (batch, upTo) => {
      if (projection.batches.length === 0) await write('order-2', 'b', 'c');
      await settle();
      await apply(batch, upTo);
    };
    await settle();
    await write('order-1', 'alone');
    await eventually(() => projection.applied.length === 1);
    await settle(10);
    await clock.advance(BATCH_REST_MS - 1);
    expect(projection.batches).toStrictEqual([1]);
    await clock.advance(1);
    await eventually(() => projection.applied.length === 3);
    expect(projection.batches).toStrictEqual([1, 2]);
    await settle();
    await write('order-3', ...many(BATCH_EVENTS_MAX));
    await eventually(() => projection.applied.length === 3 + BATCH_EVENTS_MAX);
    await runner.stop();
    expect(clock.pending).toBe(0);
  });

  it('resumes at its checkpoint after a restart', async () => {
    const { projection, newRunner, write } = setUp();
    await write('order-1', 'a', 'b');
    const first = newRunner();
    first.start();
    await first.caughtUp();
    await first.stop();
    await write('order-1', 'c');
    const second = newRunner();
    second.start();
    await second.caughtUp();
    expect(projection.applied).toStrictEqual(['order-1/a', 'order-1/b', 'order-1/c']);
    await second.stop();
  });

  it('moves its checkpoint past events of other categories after a delay', async () => {
    const { clock, store, projection, newRunner, write } = setUp();
    const runner = newRunner();
    runner.start();
    await runner.caughtUp();
    await write('other-1', ...many(5));
    await settle();
    expect(projection.batches).toHaveLength(0);
    await clock.advance(100);
    expect(projection.at).toBe(await store.head());
    expect(projection.batches).toStrictEqual([0]);
    await runner.stop();
  });

  it('parks the stream of an event that cannot be applied, and applies all other streams', async () => {
    const { clock, projection, newRunner, write, parked } = setUp();
    projection.poison.add('order-2/bad');
    await write('order-1', 'a');
    await write('order-2', 'good', 'bad', 'after');
    await write('order-3', 'b');
    const runner = newRunner();
    runner.start();
    await runner.caughtUp();
    expect(projection.applied).toStrictEqual(['order-1/a', 'order-2/good', 'order-3/b']);
    expect(parked).toStrictEqual(['order-2@1: cannot apply order-2/bad']);
    await write('order-2', 'later');
    await write('order-1', 'later');
    await clock.advanceUntil(() => projection.applied.at(-1) === 'order-1/later');
    await runner.stop();
    const next = newRunner();
    next.start();
    await write('order-2', 'much-later');
    await write('order-1', 'much-later');
    await clock.advanceUntil(() => projection.applied.at(-1) === 'order-1/much-later');
    expect(projection.applied.filter((name) => name.startsWith('order-2'))).toStrictEqual(['order-2/good']);
    expect(next.health().parkedStreams).toBe(1);
    await next.stop();
  });

  it('parks nothing while the read model is unavailable, and retries with back-off', async () => {
    const { clock, projection, newRunner, write, parked, retries } = setUp();
    await write('order-1', 'a', 'b');
    const away = new StoreUnavailable('the read model is away');
    projection.failures = [away, away, away];
    const runner = newRunner();
    runner.start();
    await eventually(() => retries.length === 1);
    expect(runner.health()).toMatchObject({ status: 'retrying', lastError: away });
    await clock.advance(49);
    expect(retries).toHaveLength(1);
    await clock.advance(1);
    expect(retries).toHaveLength(2);
    await clock.advance(99);
    expect(retries).toHaveLength(2);
    await clock.advance(1);
    expect(retries).toHaveLength(3);
    await clock.advance(200);
    await runner.caughtUp();
    expect(projection.applied).toStrictEqual(['order-1/a', 'order-1/b']);
    expect(parked).toStrictEqual([]);
    await runner.stop();
  });

  it('parks no healthy stream if the read model becomes unavailable during the search for the failing event', async () => {
    const { clock, projection, newRunner, write, parked, retries } = setUp();
    projection.poison.add('order-2/bad');
    await write('order-1', 'a');
    await write('order-2', 'bad');
    await write('order-3', 'b');
    const away = new StoreUnavailable('the read model is away');
    projection.failures = [new Error('cannot apply the batch'), away];
    const runner = newRunner();
    runner.start();
    await eventually(() => retries.length === 1);
    expect([retries, parked, projection.parkedStreams]).toStrictEqual([['the read model is away'], [], []]);
    await clock.advance(50);
    await runner.caughtUp();
    expect(parked).toStrictEqual(['order-2@0: cannot apply order-2/bad']);
    expect(projection.applied).toStrictEqual(['order-1/a', 'order-3/b']);
    await runner.stop();
  });

  it('does not skip an event that can be neither applied nor parked', async () => {
    const { clock, projection, newRunner, write, parked, retries } = setUp();
    projection.poison.add('order-1/bad');
    projection.isParkingAway = true;
    await write('order-1', 'bad');
    await write('order-2', 'good');
    const runner = newRunner();
    runner.start();
    await eventually(() => retries.length === 1);
    projection.isParkingAway = false;
    await clock.advance(50);
    await runner.caughtUp();
    expect(parked).toHaveLength(1);
    expect(projection.applied).toStrictEqual(['order-2/good']);
    await runner.stop();
  });

  it('continues when the store is available again, with retries at most five seconds apart', async () => {
    const { clock, store, projection, newRunner, write, retries } = setUp();
    await write('order-1', 'a');
    store.isAway = true;
    const runner = newRunner();
    runner.start();
    await clock.advance(60_000);
    expect(retries.length).toBeGreaterThan(12);
    expect(retries.length).toBeLessThan(20);
    expect(runner.health().lastError).toStrictEqual(new StoreUnavailable('away'));
    store.isAway = false;
    await clock.advance(5_000);
    await runner.caughtUp();
    expect(projection.applied).toStrictEqual(['order-1/a']);
    expect(runner.health().lastError).toBeUndefined();
    await runner.stop();
  });

  it('restarts the back-off at its minimum if it has caught up since the last failure', async () => {
    const { clock, projection, newRunner, write, retries } = setUp();
    await write('order-1', 'a');
    projection.failures = Array.from({ length: 8 }, () => new StoreUnavailable('away'));
    const runner = newRunner();
    runner.start();
    await clock.advance(60_000);
    await runner.caughtUp();
    expect(retries).toHaveLength(8);
    projection.failures = [new StoreUnavailable('away again')];
    await write('order-1', 'b');
    await clock.advance(BATCH_REST_MS + 100);
    expect([projection.applied, retries.length]).toStrictEqual([['order-1/a', 'order-1/b'], 9]);
    await runner.stop();
  });

  it('reports that the head of the log cannot be read while it follows the log', async () => {
    const { clock, store, newRunner, write } = setUp();
    await write('order-1', 'a');
    const runner = newRunner();
    runner.start();
    await runner.caughtUp();
    store.isAway = true;
    await clock.advance(10_000);
    expect(runner.health()).toMatchObject({ status: 'live', lastError: new StoreUnavailable('away') });
    await runner.stop();
  });

  it('parks a stream that is damaged in the log, and continues after the damaged event', async () => {
    const { store, projection, newRunner, write, parked } = setUp();
    await write('order-1', 'a');
    await write('order-2', 'damaged');
    await write('order-3', 'b');
    const damaging = Object.assign(Object.create(store) as EventStore, {
      subscribe: (...given: Parameters<EventStore['subscribe']>) => {
        const subscription = store.subscribe(...given);
        return {
          cancel: () => subscription.cancel(),
          async *[Symbol.asyncIterator](): AsyncGenerator<SubscriptionItem> {
            for await (const item of subscription) {
              if (item.kind === 'event' && item.event.stream === 'order-2') throw new BrokenChain(item.event, 'damaged');
              yield item;
            }
          },
        };
      },
      head: () => store.head(),
      comparePositions: (a: Position, b: Position) => store.comparePositions(a, b),
    });
    const runner = newRunner(damaging);
    runner.start();
    await runner.caughtUp();
    expect(projection.applied).toStrictEqual(['order-1/a', 'order-3/b']);
    expect(parked).toHaveLength(1);
    await runner.stop();
  });

  it('ends a session that delivers nothing although the log grows', async () => {
    const { clock, store, projection, newRunner, write } = setUp();
    let sessions = 0;
    const silent = Object.assign(Object.create(store) as EventStore, {
      subscribe: (...given: Parameters<EventStore['subscribe']>) => {
        sessions += 1;
        return store.subscribe(sessions === 1 ? ['nothing-of-this-name'] : given[0], given[1]);
      },
      head: () => store.head(),
      comparePositions: (a: Position, b: Position) => store.comparePositions(a, b),
    });
    const mute = Object.assign(Object.create(silent) as EventStore, {
      subscribe: (...given: Parameters<EventStore['subscribe']>) => {
        const subscription = silent.subscribe(...given);
        if (sessions > 1) return subscription;
        return {
          cancel: () => subscription.cancel(),
          async *[Symbol.asyncIterator](): AsyncGenerator<SubscriptionItem> {
            for await (const item of subscription) if (item.kind === 'caught-up') yield item;
          },
        };
      },
      head: () => store.head(),
      comparePositions: (a: Position, b: Position) => store.comparePositions(a, b),
    });
    const runner = newRunner(mute);
    runner.start();
    await write('order-1', 'a');
    await clock.advance(10_000);
    expect(projection.applied).toStrictEqual([]);
    expect(runner.health().behindSince).toBeDefined();
    await clock.advance(30_000);
    expect(projection.applied).toStrictEqual(['order-1/a']);
    await clock.advance(5_000);
    expect(runner.health().behindSince).toBeUndefined();
    expect(sessions).toBe(2);
    await runner.stop();
  });

  it('does not count as behind while it follows a log that grows continuously', async () => {
    const { clock, store, newRunner, write } = setUp();
    let ahead = 0;
    const busy = Object.assign(Object.create(store) as EventStore, {
      subscribe: (...given: Parameters<EventStore['subscribe']>) => store.subscribe(...given),
      head: async () => {
        await write('other-1', `${ahead++}`);
        return store.head();
      },
      comparePositions: (a: Position, b: Position) => store.comparePositions(a, b),
    });
    const runner = newRunner(busy);
    runner.start();
    await runner.caughtUp();
    for (let look = 0; look < 12; look++) {
      await clock.advance(5_000);
      const { behindSince } = runner.health();
      if (behindSince !== undefined) expect(clock.now() - behindSince).toBeLessThanOrEqual(5_000);
    }
    expect(ahead).toBe(12);
    expect(runner.health().status).toBe('live');
    await runner.stop();
  });

  it('resumes a parked stream between two batches', async () => {
    const { clock, projection, newRunner, write } = setUp();
    projection.poison.add('order-1/bad');
    await write('order-1', 'bad', 'after');
    const runner = newRunner();
    runner.start();
    await runner.caughtUp();
    await runner.between(async () => {
      projection.parkedStreams = [];
      projection.applied.push('order-1/bad', 'order-1/after');
    });
    await write('order-1', 'later');
    await clock.advanceUntil(() => projection.applied.length === 3);
    expect(projection.applied).toStrictEqual(['order-1/bad', 'order-1/after', 'order-1/later']);
    await runner.stop();
  });

  it('starts a new session if a task moved the checkpoint back', async () => {
    const { projection, newRunner, write } = setUp();
    await write('order-1', 'a', 'b');
    const runner = newRunner();
    runner.start();
    await runner.caughtUp();
    await runner.between(async () => {
      projection.at = undefined;
      projection.applied = [];
    });
    await eventually(() => projection.applied.length === 2);
    expect(projection.applied).toStrictEqual(['order-1/a', 'order-1/b']);
    await runner.stop();
  });

  it('waits while another process projects, and reports waiting instead of lag', async () => {
    const { clock, projection, newRunner, write } = setUp();
    await write('order-1', 'a');
    let give: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => (give = resolve));
    const position = projection.position.bind(projection);
    projection.position = () => turn.then(position);
    const runner = newRunner();
    runner.start();
    await clock.advance(60_000);
    expect(runner.health()).toMatchObject({ status: 'waiting', behindSince: undefined });
    give();
    await runner.caughtUp();
    expect(projection.applied).toStrictEqual(['order-1/a']);
    await runner.stop();
  });

  it('releases the projection on stop, after the running batch or while it waits', async () => {
    const { clock, store, projection, write } = setUp();
    await write('order-1', 'a');
    const order: string[] = [];
    const retried: Error[] = [];
    const apply = projection.apply.bind(projection);
    projection.apply = async (batch, upTo) => {
      await settle();
      await apply(batch, upTo);
      order.push('applied');
    };
    const sharing = (position: () => Promise<Position | undefined>, release: () => Promise<void>) =>
      new SubscriptionRunner({
        store,
        categories: ['order'],
        projection: Object.assign(projection, { position, release }),
        clock,
        scheduler: clock,
        onRetry: (error) => retried.push(error),
      });
    const holder = sharing(
      () => Promise.resolve(projection.at),
      async () => void order.push('released'),
    );
    holder.start();
    await holder.caughtUp();
    await holder.stop();
    expect(order.at(-1)).toBe('released');

    let refuse: (error: Error) => void = () => undefined;
    const turn = new Promise<never>((_, reject) => (refuse = reject));
    const waiting = sharing(
      () => turn,
      async () => refuse(new StoreUnavailable('given up')),
    );
    waiting.start();
    await settle();
    await waiting.stop();
    expect(waiting.health().status).toBe('stopped');
    expect(retried).toStrictEqual([]);
  });

  it('resolves reached() when the position is applied, and rejects it if the runner stops first', async () => {
    const { store, newRunner, write } = setUp();
    await write('order-1', 'a');
    const runner = newRunner();
    const reached = runner.reached(await store.head());
    const never = runner.reached('999' as Position);
    runner.start();
    await reached;
    const stopped = expect(never).rejects.toThrow('the runner was stopped');
    await runner.stop();
    await stopped;
  });

  it('does not start again after it was stopped, and rejects reached()', async () => {
    const { projection, newRunner, store, write } = setUp();
    const runner = newRunner();
    runner.start();
    await runner.caughtUp();
    await runner.stop();
    await write('order-1', 'a');
    expect(() => runner.start()).toThrow(new Error('a runner that was stopped does not start again'));
    await expect(runner.reached(await store.head())).rejects.toStrictEqual(new Error('the runner was stopped'));
    await settle();
    expect([projection.applied, runner.health().status]).toStrictEqual([[], 'stopped']);
  });

  it('continues after a task between two batches that failed', async () => {
    const { clock, projection, newRunner, write, retries } = setUp();
    await write('order-1', 'a');
    const runner = newRunner();
    runner.start();
    await runner.caughtUp();
    const fault = new Error('a fault of ours');
    await expect(runner.between(() => Promise.reject(fault))).rejects.toBe(fault);
    await write('order-1', 'b');
    await clock.advance(BATCH_REST_MS);
    expect([projection.applied, retries]).toStrictEqual([['order-1/a', 'order-1/b'], []]);
    await runner.stop();
  });

  it('applies each event once and in order under random failures and stops', async () => {
    const plan = fc.record({
      events: fc.array(fc.tuple(fc.constantFrom('order-1', 'order-2', 'other-1'), fc.nat(3)), { minLength: 1, maxLength: 60 }),
      failures: fc.array(fc.boolean(), { maxLength: 6 }),
      stops: fc.array(fc.nat(20), { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ events, failures, stops }) => {
        const { clock, projection, newRunner, write } = setUp();
        projection.failures = failures.filter(Boolean).map(() => new StoreUnavailable('away'));
        const expected: string[] = [];
        let runner = newRunner();
        runner.start();
        for (const [index, [stream, pauses]] of events.entries()) {
          await write(stream, `${index}`);
          if (stream !== 'other-1') expected.push(`${stream}/${index}`);
          if (stops.includes(index)) {
            await runner.stop();
            runner = newRunner();
            runner.start();
          }
          for (let pause = 0; pause < pauses; pause++) await settle(1);
        }
        await clock.advance(60_000);
        expect(projection.applied).toStrictEqual(expected);
        await runner.stop();
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
