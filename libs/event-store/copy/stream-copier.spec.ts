import type { Scheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { EventRefused, type EventStore, type Revision, type StreamName } from '../core/port';
import { MemoryEventStore } from '../stores/memory';
import { chainedEvents, ChainedWriter, collect } from '../testing';
import { RetryPolicy } from './retry-policy';
import { StreamCopier } from './stream-copier';
import { FAULTY_STREAMS_MAX } from './stream-faults';

/** Ends every wait at once, since the delays are not tested here. */
const scheduler: Scheduler = {
  after: (_delayMs, run) => {
    setImmediate(run);
    return { cancel: () => undefined };
  },
};
const ORDER = 'order-1' as StreamName;
const newStore = (): MemoryEventStore => new MemoryEventStore(new VirtualClock());
const written = async (count: number, content = 'content'): Promise<MemoryEventStore> => {
  const store = newStore();
  if (count > 0) await new ChainedWriter(store).write(ORDER, count, 'request', content);
  return store;
};

/** Copies into a target of which nothing is known, as after an inspection that another writer has outrun. */
const copyInto = async (source: MemoryEventStore, target: EventStore, isTargetEmpty = false) => {
  const copier = new StreamCopier({
    source,
    target,
    selection: 'all',
    upTo: await source.head(),
    knownCategories: new Set(['order']),
    isTargetEmpty,
    retry: new RetryPolicy(scheduler, () => false),
    isStopRequested: () => false,
    onProgress: () => undefined,
  });
  const isComplete = await copier.run();
  return { isComplete, appended: copier.appended, faults: copier.faults.all };
};
/** A target whose appends are answered so; the rest is a log. */
const answering = (store: MemoryEventStore, append: EventStore['append']): EventStore =>
  Object.assign(Object.create(store) as EventStore, {
    append,
    read: (...given: Parameters<EventStore['read']>) => store.read(...given),
  });

describe('copying a stream', () => {
  it('is refused by name where the target refuses its events, with the target’s own reason', async () => {
    let appends = 0;
    const target = answering(newStore(), () => {
      appends += 1;
      return Promise.reject(new EventRefused('too large'));
    });
    const { faults, appended } = await copyInto(await written(2), target);
    expect(faults).toStrictEqual([{ stream: ORDER, revision: 1n, kind: 'target-refuses', text: 'the target refuses it: too large' }]);
    expect([appended, appends]).toStrictEqual([0, 1]);
  });

  it('ends the whole copy where the failure is a fault of ours', async () => {
    const fault = new Error('a fault of ours');
    await expect(
      copyInto(
        await written(1),
        answering(newStore(), () => Promise.reject(fault)),
      ),
    ).rejects.toBe(fault);
  });

  it('is given up after three appends that each met another writer', async () => {
    let appends = 0;
    const target = answering(newStore(), () => {
      appends += 1;
      return Promise.resolve({ kind: 'conflict', actual: 'no_stream' });
    });
    const { faults, appended } = await copyInto(await written(1), target);
    expect(faults).toMatchObject([{ stream: ORDER, revision: 0n, kind: 'target-differs' }]);
    expect([appended, appends]).toStrictEqual([0, 3]);
  });

  it('is refused where the target holds another event before those that it lacks, and writes nothing', async () => {
    const target = await written(1, 'other');
    const { faults, appended } = await copyInto(await written(3), target);
    expect(faults).toMatchObject([{ stream: ORDER, revision: 0n, kind: 'target-differs' }]);
    expect([appended, (await collect(target.read(ORDER))).length]).toStrictEqual([0, 1]);
  });

  it('is refused where the target’s stream is broken, and writes nothing', async () => {
    const target = await written(1);
    const { events } = chainedEvents(ORDER, { revision: 0n as Revision, hash: 'f'.repeat(64) }, 1, 'request', 'forged');
    await target.append(ORDER, 0n as Revision, events);
    const { faults, appended } = await copyInto(await written(3), target);
    expect(faults).toMatchObject([{ stream: ORDER, revision: 1n, kind: 'target-broken' }]);
    expect([appended, (await collect(target.read(ORDER))).length]).toStrictEqual([0, 2]);
  });

  it('ends incomplete where as many streams of the source are broken as a report holds', async () => {
    const source = newStore();
    const from = { revision: 0n as Revision, hash: 'f'.repeat(64) };
    for (let index = 0; index <= FAULTY_STREAMS_MAX; index++) {
      const name = `order-${index}` as StreamName;
      await source.append(name, 'no_stream', chainedEvents(name, from, 1, 'request', 'headless').events);
    }
    const { isComplete, faults, appended } = await copyInto(source, newStore(), true);
    expect([isComplete, faults.length, appended]).toStrictEqual([false, FAULTY_STREAMS_MAX, 0]);
  });
});
