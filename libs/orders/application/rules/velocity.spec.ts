import fc from 'fast-check';
import { StoreUnavailable, type EventStore, type Revision } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import type { MerchantLogin, OrderId } from '@app/kernel';
import { seededIds, VirtualClock } from '@app/testing';
import { velocityStream } from '../../events/screening.codec';
import { requestEnvelope } from '../acceptance/accept-order';
import { Velocity } from './velocity';

const HOUR_MS = 3_600_000;
const STREAM = velocityStream('digest');
const orderId = (number: number) => `order-${number}` as OrderId;

const setUp = () => {
  const clock = new VirtualClock();
  const store = new StumblingStore(new MemoryEventStore(clock));
  const ids = seededIds(3);
  const ask = (velocity: Velocity, number: number, limit = { count: 3, hours: 1 }) =>
    velocity.countOf(STREAM, limit, {
      orderId: orderId(number),
      envelope: requestEnvelope('acme' as MerchantLogin, { serial: ids.next() }, clock.now()),
    });
  const counted = async () => {
    const found: string[] = [];
    for await (const { data } of store.read(STREAM)) found.push((JSON.parse(data) as { orderId: string }).orderId);
    return found;
  };
  return { clock, store, ask, counted, newProcess: () => new Velocity(store, clock) };
};

describe('Velocity.countOf', () => {
  it('returns the number of earlier accepted orders and counts this order only below the limit', async () => {
    const { ask, counted, newProcess } = setUp();
    const velocity = newProcess();
    const counts: number[] = [];
    for (const number of [1, 2, 3, 4, 5]) counts.push(await ask(velocity, number));
    expect(counts).toEqual([0, 1, 2, 3, 3]);
    expect(await counted()).toEqual(['order-1', 'order-2', 'order-3']);
  });

  it('counts an order once and returns the same count again, also in another process', async () => {
    const { ask, counted, newProcess } = setUp();
    const velocity = newProcess();
    expect([await ask(velocity, 1), await ask(velocity, 2)]).toEqual([0, 1]);
    expect([await ask(velocity, 2), await ask(newProcess(), 2), await ask(newProcess(), 1)]).toEqual([1, 1, 0]);
    expect(await counted()).toEqual(['order-1', 'order-2']);
  });

  it('counts an order once if its append was stored but not acknowledged', async () => {
    const { store, ask, counted, newProcess } = setUp();
    store.stumble({ kind: 'stored-answer-lost' }, { kind: 'stored-answer-lost' }, { kind: 'stored-answer-lost' });
    const velocity = newProcess();
    await expect(ask(velocity, 1)).rejects.toThrow('lost');
    expect(await ask(velocity, 1)).toBe(0);
    expect(await counted()).toEqual(['order-1']);
  });

  it("drops orders that are older than the limit's period", async () => {
    const { clock, ask, newProcess } = setUp();
    const velocity = newProcess();
    for (const number of [1, 2, 3]) await ask(velocity, number);
    await clock.advance(HOUR_MS - 1);
    expect(await ask(velocity, 4)).toBe(3);
    await clock.advance(1);
    expect(await ask(velocity, 4)).toBe(0);
    expect(await ask(newProcess(), 5)).toBe(1);
  });

  it('counts correctly for a wider limit after a narrower one in the same process', async () => {
    const { clock, ask, newProcess } = setUp();
    const velocity = newProcess();
    const wide = { count: 5, hours: 24 };
    for (const number of [1, 2, 3, 4]) await ask(velocity, number, wide);
    await clock.advance(2 * HOUR_MS);
    const narrow = newProcess();
    expect(await ask(narrow, 5, { count: 2, hours: 1 })).toBe(0);
    expect([await ask(narrow, 6, wide), await ask(newProcess(), 6, wide)]).toEqual([5, 5]);
  });

  it('keeps the limit for a thousand concurrent orders in three processes (safety, T35)', async () => {
    const { ask, counted, newProcess } = setUp();
    const processes = [newProcess(), newProcess(), newProcess()];
    const limit = { count: 7, hours: 1 };
    const counts = await Promise.all(
      Array.from({ length: 1_000 }, (_, number) => ask(processes[number % 3] ?? newProcess(), number, limit)),
    );
    expect(counts.filter((count) => count < limit.count).sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(counts.filter((count) => count >= limit.count)).toHaveLength(993);
    expect(await counted()).toHaveLength(7);
  });

  it('serialises the appends of one process, so that none conflicts', async () => {
    const { store, ask, newProcess } = setUp();
    const velocity = newProcess();
    await Promise.all(Array.from({ length: 50 }, (_, number) => ask(velocity, number, { count: 100, hours: 1 })));
    expect([store.appends, store.reads]).toEqual([50, 0]);
  });

  it('does not access the store after a limit is reached', async () => {
    const { store, ask, newProcess } = setUp();
    const velocity = newProcess();
    for (const number of [1, 2, 3]) await ask(velocity, number);
    const before = [store.appends, store.reads];
    await ask(velocity, 4);
    expect([store.appends, store.reads]).toEqual(before);
  });

  it('reads only as many events as the limit’s count', async () => {
    const { clock, store, ask, newProcess } = setUp();
    const velocity = newProcess();
    for (let number = 0; number < 60; number++) {
      await ask(velocity, number);
      await clock.advance(HOUR_MS / 2);
    }
    const from: bigint[] = [];
    const read = store.read.bind(store);
    store.read = (stream, revision) => {
      from.push(revision ?? 0n);
      return read(stream, revision);
    };
    expect(await ask(newProcess(), 60)).toBe(1);
    expect(from).toEqual([57n]);
  });

  it('continues with the next order after a failure', async () => {
    const { store, ask, newProcess } = setUp();
    const velocity = newProcess();
    store.stumble({ kind: 'refused' });
    const [first, second] = await Promise.allSettled([ask(velocity, 1), ask(velocity, 2)]);
    expect([first?.status, second]).toEqual(['rejected', { status: 'fulfilled', value: 0 }]);
  });

  const conflicting = (store: EventStore, actual: 'no_stream' | Revision) => {
    const appends = { count: 0 };
    const append: EventStore['append'] = () => {
      appends.count += 1;
      return Promise.resolve({ kind: 'conflict', actual });
    };
    const read: EventStore['read'] = (...given) => store.read(...given);
    return { appends, rival: Object.assign(Object.create(store) as EventStore, { append, read }) };
  };

  it('gives up after twenty conflicts and counts nothing', async () => {
    const { clock, store, ask, counted, newProcess } = setUp();
    await ask(newProcess(), 1);
    const { rival, appends } = conflicting(store, 0n as Revision);
    await expect(ask(new Velocity(rival, clock), 2)).rejects.toStrictEqual(
      new StoreUnavailable(`${STREAM}: others were first in 20 rounds`),
    );
    expect([appends.count, await counted()]).toStrictEqual([20, ['order-1']]);
  });

  it('fails immediately if its stream no longer exists', async () => {
    const { clock, store, ask } = setUp();
    const { rival, appends } = conflicting(store, 'no_stream');
    await expect(ask(new Velocity(rival, clock), 1)).rejects.toStrictEqual(new Error(`${STREAM} is gone`));
    expect(appends.count).toBe(1);
  });

  it('never accepts more orders than the limit in any period, for random processes and times', async () => {
    const asked = fc.record({
      process: fc.integer({ min: 0, max: 2 }),
      number: fc.integer({ min: 0, max: 15 }),
      elapsedMs: fc.nat(HOUR_MS / 2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (steps, count) => {
        const { clock, store, ask, newProcess } = setUp();
        const processes = [newProcess(), newProcess(), newProcess()];
        for (const { process, number, elapsedMs } of steps) {
          await clock.advance(elapsedMs);
          const before: { orderId: string; countedAt: number }[] = [];
          for await (const { data } of store.read(STREAM)) before.push(JSON.parse(data) as (typeof before)[number]);
          const recent = before.filter(({ countedAt }) => countedAt > clock.now() - HOUR_MS);
          const own = recent.findIndex((order) => order.orderId === orderId(number));
          const counted = await ask(processes[process] ?? newProcess(), number, { count, hours: 1 });
          expect(counted).toBe(own >= 0 ? own : recent.length);
          expect(recent.length).toBeLessThanOrEqual(count);
        }
      }),
      { numRuns: 60 },
    );
  });
});
