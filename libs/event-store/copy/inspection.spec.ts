import type { Scheduler } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { eventId } from '../core/event-id';
import type { NewEvent, Revision, StreamName } from '../core/port';
import { MemoryEventStore } from '../stores/memory';
import { ChainedWriter } from '../testing';
import { inspectLogs, type Inspection, type InspectionSettings } from './inspection';
import { FAULTY_STREAMS_MAX } from './stream-faults';

/** Ends every wait at once, since the delays are not tested here. */
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

describe('an inspection of two logs', () => {
  it('gives up, incomplete, at the greatest number of faulty streams of a report', async () => {
    const { isComplete, faults } = await inspect(await written(FAULTY_STREAMS_MAX + FEW_MORE), newStore(), 'equal');
    expect(isComplete).toBe(false);
    expect(faults.length).toBeGreaterThanOrEqual(FAULTY_STREAMS_MAX);
    // Comparisons under way are finished, and no other is begun.
    expect(faults.length).toBeLessThan(FAULTY_STREAMS_MAX + FEW_MORE);
  });

  it('gives up likewise where the target alone holds as many streams', async () => {
    const { isComplete, faults } = await inspect(newStore(), await written(FAULTY_STREAMS_MAX + FEW_MORE), 'prefix');
    expect(isComplete).toBe(false);
    expect(faults.length).toBeLessThan(FAULTY_STREAMS_MAX + FEW_MORE);
    expect(new Set(faults.map(({ kind }) => kind))).toStrictEqual(new Set(['target-alone']));
  });

  it('is complete with every fault where there is one fewer', async () => {
    const { isComplete, faults } = await inspect(await written(FAULTY_STREAMS_MAX - 1), newStore(), 'equal');
    expect([isComplete, faults.length]).toStrictEqual([true, FAULTY_STREAMS_MAX - 1]);
  });

  it('names ten streams of another service and counts the others', async () => {
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

  it('ends incomplete where it is asked to stop among the streams that the target alone holds', async () => {
    let questions = 0;
    const { isComplete } = await inspect(newStore(), await written(5), 'prefix', () => ++questions > 3);
    expect(isComplete).toBe(false);
  });
});
