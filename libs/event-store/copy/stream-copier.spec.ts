import type { Scheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { EventRefused, type EventStore, type Revision, type StreamName } from '../core/port';
import { MemoryEventStore } from '../stores/memory';
import { chainedEvents, ChainedWriter, collect } from '../testing';
import { RetryPolicy } from './bounded-tasks';
import { StreamCopier, type StreamCopierSettings } from './stream-copier';
import { FAULTY_STREAMS_MAX } from './stream-comparison';

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

/** The state of the target is unknown, as after an inspection during another writer's appends. */
const copyInto = async (source: MemoryEventStore, target: EventStore, more: Partial<StreamCopierSettings> = {}) => {
  const copier = new StreamCopier({
    source,
    target,
    selection: 'all',
    upTo: await source.head(),
    knownCategories: new Set(['order']),
    isTargetEmpty: false,
    retry: new RetryPolicy(scheduler, () => false),
    isStopRequested: () => false,
    onProgress: () => undefined,
    ...more,
  });
  const isComplete = await copier.run();
  return { isComplete, appended: copier.appended, faults: copier.faults.all };
};
const answering = (store: MemoryEventStore, append: EventStore['append']): EventStore =>
  Object.assign(Object.create(store) as EventStore, {
    append,
    read: (...given: Parameters<EventStore['read']>) => store.read(...given),
  });

describe('StreamCopier', () => {
  it('reports a stream whose events the target refuses, with the reason that the target gives', async () => {
    let appends = 0;
    const target = answering(newStore(), () => {
      appends += 1;
      return Promise.reject(new EventRefused('too large'));
    });
    const { faults, appended } = await copyInto(await written(2), target);
    expect(faults).toStrictEqual([{ stream: ORDER, revision: 1n, kind: 'target-refuses', text: 'the target refuses it: too large' }]);
    expect([appended, appends]).toStrictEqual([0, 1]);
  });

  it('rethrows an unexpected error of an append', async () => {
    const fault = new Error('a fault of ours');
    await expect(
      copyInto(
        await written(1),
        answering(newStore(), () => Promise.reject(fault)),
      ),
    ).rejects.toBe(fault);
  });

  it('reports a stream as different after three appends that conflict with another writer', async () => {
    let appends = 0;
    const target = answering(newStore(), () => {
      appends += 1;
      return Promise.resolve({ kind: 'conflict', actual: 'no_stream' });
    });
    const { faults, appended } = await copyInto(await written(1), target);
    expect(faults).toMatchObject([{ stream: ORDER, revision: 0n, kind: 'target-differs' }]);
    expect([appended, appends]).toStrictEqual([0, 3]);
  });

  it('appends nothing to a stream if the target has a different earlier event', async () => {
    const target = await written(1, 'other');
    const { faults, appended } = await copyInto(await written(3), target);
    expect(faults).toMatchObject([{ stream: ORDER, revision: 0n, kind: 'target-differs' }]);
    expect([appended, (await collect(target.read(ORDER))).length]).toStrictEqual([0, 1]);
  });

  it('appends nothing to a stream whose chain is broken in the target', async () => {
    const target = await written(1);
    const { events } = chainedEvents(ORDER, { revision: 0n as Revision, hash: 'f'.repeat(64) }, 1, 'request', 'forged');
    await target.append(ORDER, 0n as Revision, events);
    const { faults, appended } = await copyInto(await written(3), target);
    expect(faults).toMatchObject([{ stream: ORDER, revision: 1n, kind: 'target-broken' }]);
    expect([appended, (await collect(target.read(ORDER))).length]).toStrictEqual([0, 2]);
  });

  it('is incomplete if the source has as many broken streams as a report can list', async () => {
    const source = newStore();
    const from = { revision: 0n as Revision, hash: 'f'.repeat(64) };
    for (let index = 0; index <= FAULTY_STREAMS_MAX; index++) {
      const name = `order-${index}` as StreamName;
      await source.append(name, 'no_stream', chainedEvents(name, from, 1, 'request', 'headless').events);
    }
    const { isComplete, faults, appended } = await copyInto(source, newStore(), { isTargetEmpty: true });
    expect([isComplete, faults.length, appended]).toStrictEqual([false, 1_000, 0]);
  });

  /** Another stream's event separates the order's events into two runs. */
  const interleaved = async (): Promise<MemoryEventStore> => {
    const source = newStore();
    const writer = new ChainedWriter(source);
    await writer.write(ORDER, 1, 'first');
    await writer.write('order-2' as StreamName, 1, 'second');
    await writer.write(ORDER, 1, 'third');
    return source;
  };
  const forgetful = { isTargetEmpty: true, streamsKnownMax: 1 };
  const acknowledging: EventStore['append'] = (_stream, expected, events) =>
    Promise.resolve({
      kind: 'appended',
      revision: BigInt(expected === 'no_stream' ? events.length - 1 : Number(expected) + events.length) as Revision,
    });

  it('reports a stream if the target has lost an acknowledged event', async () => {
    const { faults } = await copyInto(await interleaved(), answering(newStore(), acknowledging), forgetful);
    expect(faults).toStrictEqual([{ stream: ORDER, revision: 0n, kind: 'target-behind', text: 'the target ends before revision 0' }]);
  });

  it('reports a stream, and appends no more to it, if the target returns an event other than the acknowledged one', async () => {
    const [empty, other] = [newStore(), await written(1, 'other')];
    const appends: string[] = [];
    const target = answering(empty, (name, expected, events) => {
      appends.push(`${name} ${String(expected)}`);
      return acknowledging(name, expected, events);
    });
    target.read = (...given) => (appends.length === 0 ? empty : other).read(...given);
    const { faults } = await copyInto(await interleaved(), target, forgetful);
    expect(faults).toMatchObject([{ stream: ORDER, revision: 0n, kind: 'target-differs' }]);
    expect(appends).not.toContain('order-1 0');
  });

  it.each(['source', 'target'] as const)('rethrows an unexpected error from a read of the %s', async (side) => {
    const fault = new Error('a fault of ours');
    const logs = { source: await interleaved(), target: newStore() };
    logs[side].read = () => {
      throw fault;
    };
    await expect(copyInto(logs.source, logs.target, forgetful)).rejects.toBe(fault);
  });

  it('appends no waiting events of a stream once an earlier append to it was refused', async () => {
    const appends: string[] = [];
    let places = 0;
    let refuse: () => void = () => undefined;
    const areAllPlaced = new Promise<void>((resolve) => (refuse = resolve));
    const target = newStore();
    const refusing = answering(target, async (name, expected, events) => {
      appends.push(`${name} ${String(expected)}`);
      if (name !== ORDER) return target.append(name, expected, events);
      await areAllPlaced;
      throw new EventRefused('too large');
    });
    const onProgress = (): void => {
      places += 1;
      if (places === 3) refuse();
    };
    const { faults, appended } = await copyInto(await interleaved(), refusing, { isTargetEmpty: true, onProgress });
    expect(faults).toMatchObject([{ stream: ORDER, revision: 0n, kind: 'target-refuses' }]);
    expect([appended, appends.sort()]).toStrictEqual([1, ['order-1 no_stream', 'order-2 no_stream']]);
  });
});
