import type { Scheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { eventId } from '../core/names-and-ids';
import { BrokenChain } from '../core/chain';
import type { NewEvent, Position, Revision, StreamName, Subscription } from '../core/port';
import { MemoryEventStore } from '../stores/memory';
import { ChainedWriter } from '../testing';
import { holdsEvents, inspectLogs, type Inspection, type InspectionSettings } from './inspection';
import { FAULTY_STREAMS_MAX } from './stream-comparison';

const scheduler: Scheduler = {
  after: (_delayMs, run) => {
    setImmediate(run);
    return { cancel: () => undefined };
  },
};
const LEFT_OUT_NAMED_MAX = 10;
const stream = (name: string): StreamName => name as StreamName;
const newStore = (): MemoryEventStore => new MemoryEventStore(new VirtualClock());

const inspect = async (
  source: MemoryEventStore,
  target: MemoryEventStore,
  expected: InspectionSettings['expected'],
  isStopRequested?: () => boolean,
): Promise<Inspection> => {
  const parties = {
    source,
    target,
    selection: 'all' as const,
    knownCategories: new Set(['order']),
    scheduler,
    ...(isStopRequested !== undefined && { isStopRequested }),
  };
  return inspectLogs({ parties, upTo: await source.head(), expected, onProgress: () => undefined });
};
const written = async (streams: number): Promise<MemoryEventStore> => {
  const store = newStore();
  const writer = new ChainedWriter(store);
  for (let index = 0; index < streams; index++) await writer.write(stream(`order-${index}`), 1);
  return store;
};
const FEW_MORE = 40;

describe('inspectLogs', () => {
  it('stops, incomplete, once the report has the maximum number of faulty streams', async () => {
    const { isComplete, faults } = await inspect(await written(FAULTY_STREAMS_MAX + FEW_MORE), newStore(), 'equal');
    expect(isComplete).toBe(false);
    expect(faults.length).toBeGreaterThanOrEqual(FAULTY_STREAMS_MAX);
    expect(faults.length).toBeLessThan(FAULTY_STREAMS_MAX + FEW_MORE);
  });

  it('stops, incomplete, if the maximum number of streams exist only in the target', async () => {
    const { isComplete, faults } = await inspect(newStore(), await written(FAULTY_STREAMS_MAX + FEW_MORE), 'prefix');
    expect(isComplete).toBe(false);
    expect(faults.length).toBeLessThan(FAULTY_STREAMS_MAX + FEW_MORE);
    expect(new Set(faults.map(({ kind }) => kind))).toStrictEqual(new Set(['target-alone']));
  });

  it('is complete and reports every fault if there is one fault fewer than the maximum', async () => {
    const { isComplete, faults } = await inspect(await written(FAULTY_STREAMS_MAX - 1), newStore(), 'equal');
    expect([isComplete, faults.length]).toStrictEqual([true, FAULTY_STREAMS_MAX - 1]);
  });

  it('names ten streams of another service, and counts all of them', async () => {
    const source = newStore();
    for (let index = 0; index <= LEFT_OUT_NAMED_MAX; index++) {
      const foreign = (at: number): NewEvent => ({
        id: eventId(stream(`x-${index}`), 'x', at),
        type: 'Theirs',
        data: '{}',
        metadata: '{}',
      });
      await source.append(stream(`theirs-${index}`), 'no_stream', [foreign(0)]);
      await source.append(stream(`theirs-${index}`), 0n as Revision, [foreign(1)]);
    }
    const { leftOut, streams } = await inspect(source, newStore(), 'nothing');
    expect([leftOut.streams, leftOut.events, streams]).toStrictEqual([11, 22, 0]);
    expect(leftOut.examples).toStrictEqual(Array.from({ length: LEFT_OUT_NAMED_MAX }, (_value, index) => `theirs-${index}`));
  });

  it('is incomplete if a stop is requested while it reads the streams that only the target has', async () => {
    let questions = 0;
    const { isComplete } = await inspect(newStore(), await written(5), 'prefix', () => ++questions > 3);
    expect(isComplete).toBe(false);
  });

  const damagedAt = (store: MemoryEventStore, name: string, read: MemoryEventStore['read'] = (...given) => store.read(...given)) =>
    Object.assign(Object.create(store) as MemoryEventStore, {
      read,
      head: () => store.head(),
      comparePositions: (a: Position, b: Position) => store.comparePositions(a, b),
      subscribe: (...given: Parameters<MemoryEventStore['subscribe']>): Subscription => {
        const whole = store.subscribe(...given);
        return {
          cancel: () => whole.cancel(),
          async *[Symbol.asyncIterator]() {
            for await (const item of whole) {
              if (item.kind === 'event' && item.event.stream === name) throw new BrokenChain(item.event, 'damaged');
              yield item;
            }
          },
        };
      },
    });

  it('reports an event that the source calls damaged, and counts the events after it', async () => {
    const { isComplete, events, faults } = await inspect(damagedAt(await written(3), 'order-1'), newStore(), 'nothing');
    expect([isComplete, events]).toStrictEqual([true, 2]);
    expect(faults).toStrictEqual([
      { stream: 'order-1', revision: 0n, kind: 'source-broken', text: 'the source is broken at revision 0: damaged' },
    ]);
  });

  it('reports an event that the target calls damaged, and continues after it', async () => {
    const { isComplete, faults } = await inspect(newStore(), damagedAt(await written(3), 'order-1'), 'prefix');
    expect(isComplete).toBe(true);
    expect(faults.map(({ stream: name, kind }) => `${name} ${kind}`).sort()).toStrictEqual([
      'order-0 target-alone',
      'order-1 target-broken',
      'order-2 target-alone',
    ]);
  });

  it('holdsEvents returns true for a target whose only event is damaged', async () => {
    const target = damagedAt(await written(1), 'order-0');
    const parties = { source: newStore(), target, selection: 'all' as const, knownCategories: new Set(['order']), scheduler };
    await expect(holdsEvents(parties)).resolves.toBe(true);
  });

  it('rethrows an unexpected error from a read of the source', async () => {
    const fault = new Error('a fault of ours');
    const source = newStore();
    source.read = () => {
      throw fault;
    };
    await expect(inspect(source, await written(1), 'prefix')).rejects.toBe(fault);
  });

  it('stops reading the source, incomplete, once a stop is requested', async () => {
    let questions = 0;
    const { isComplete, events } = await inspect(await written(9), newStore(), 'equal', () => ++questions > 3);
    expect([isComplete, events]).toStrictEqual([false, 3]);
  });

  it('never reports equal logs, at any moment of a stop, if a source stream has lost its first event', async () => {
    const store = newStore();
    await new ChainedWriter(store).write(stream('order-1'), 2);
    const source = Object.assign(Object.create(store) as MemoryEventStore, {
      head: () => store.head(),
      comparePositions: (a: Position, b: Position) => store.comparePositions(a, b),
      read: (name: StreamName, from = 0n as Revision) => store.read(name, from > 0n ? from : (1n as Revision)),
      subscribe: () => store.subscribe('all', '1' as Position),
    });
    for (let stopAfter = 0; stopAfter < 6; stopAfter++) {
      let questions = 0;
      const { isComplete, faults } = await inspect(source, newStore(), 'equal', () => ++questions > stopAfter);
      expect({ stopAfter, isEqual: isComplete && faults.length === 0 }).toStrictEqual({ stopAfter, isEqual: false });
    }
    const { faults } = await inspect(source, newStore(), 'equal');
    expect(faults).toMatchObject([{ stream: 'order-1', kind: 'source-broken', revision: 1n }]);
  });
});
