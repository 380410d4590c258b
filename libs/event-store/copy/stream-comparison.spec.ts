import { VirtualClock } from '@app/testing';
import type { Position, Revision, StoredEvent, StreamName } from '../core/port';
import { MemoryEventStore } from '../stores/memory';
import { chainedEvents, ChainedWriter } from '../testing/chained-writer';
import type { EventLog } from './log-events';
import { RetryPolicy } from './bounded-tasks';
import { compareStream } from './stream-comparison';

const clock = new VirtualClock();
const stream = 'order-1' as StreamName;

const logOf = async (count: number, content: string) => {
  const store = new MemoryEventStore(clock);
  const writer = new ChainedWriter(store);
  for (let written = 0; written < count; written++) await writer.write(stream, 1, 'request', content);
  const reads = { open: 0, opened: 0 };
  const log = Object.assign(Object.create(store) as EventLog, {
    read: async function* (...given: Parameters<EventLog['read']>): AsyncGenerator<StoredEvent, undefined> {
      reads.open += 1;
      reads.opened += 1;
      try {
        yield* store.read(...given);
        return undefined;
      } finally {
        reads.open -= 1;
      }
    },
    comparePositions: (a: Position, b: Position) => store.comparePositions(a, b),
    head: () => store.head(),
  });
  return { log, reads };
};

it.each<[string, Parameters<typeof logOf>, Parameters<typeof logOf>, string]>([
  ['differ at their first event', [3, 'a'], [3, 'b'], 'target-differs'],
  ['have more events in the target', [1, 'a'], [3, 'a'], 'target-ahead'],
])('compareStream stops at the first fault, and closes its reads, for streams that %s', async (_, ofSource, ofTarget, kind) => {
  const [source, target] = await Promise.all([logOf(...ofSource), logOf(...ofTarget)]);
  const upTo = await source.log.head();
  const retry = new RetryPolicy(clock, () => false);
  const { fault } = await compareStream({ source: source.log, target: target.log, upTo, retry }, stream);
  expect(fault?.kind).toBe(kind);
  expect([source.reads, target.reads]).toStrictEqual([
    { open: 0, opened: 1 },
    { open: 0, opened: 1 },
  ]);
});

it('compareStream stops at the end position if the source has grown, and closes its reads', async () => {
  const [source, target] = await Promise.all([logOf(3, 'a'), logOf(1, 'a')]);
  let upTo: Position | undefined;
  for await (const event of source.log.read(stream)) upTo ??= event.position;
  if (upTo === undefined) throw new Error('an empty source');
  const retry = new RetryPolicy(clock, () => false);
  const compared = await compareStream({ source: source.log, target: target.log, upTo, retry }, stream);
  expect(compared).toStrictEqual({ events: 1, held: 1, isHeld: true, fault: undefined });
  expect([source.reads.open, target.reads.open]).toStrictEqual([0, 0]);
});

it.each(['source', 'target'] as const)('compareStream rethrows an unexpected error of the %s, and closes its reads', async (side) => {
  const logs = { source: await logOf(2, 'a'), target: await logOf(2, 'a') };
  const fault = new Error('a fault of ours');
  const { log } = logs[side];
  const whole = log.read.bind(log);
  let given = 0;
  log.read = async function* (...of): AsyncGenerator<StoredEvent, undefined> {
    for await (const event of whole(...of)) {
      if (given++ === 1) throw fault;
      yield event;
    }
    return undefined;
  };
  const retry = new RetryPolicy(clock, () => false);
  const upTo = await logs.source.log.head();
  await expect(compareStream({ source: logs.source.log, target: logs.target.log, upTo, retry }, stream)).rejects.toBe(fault);
  expect([logs.source.reads.open, logs.target.reads.open]).toStrictEqual([0, 0]);
});

it('compareStream reports a target stream as present if the stream is broken from its first event', async () => {
  const source = await logOf(2, 'a');
  const broken = new MemoryEventStore(clock);
  await broken.append(
    stream,
    'no_stream',
    chainedEvents(stream, { revision: 0n as Revision, hash: 'f'.repeat(64) }, 1, 'request', 'a').events,
  );
  const retry = new RetryPolicy(clock, () => false);
  const compared = await compareStream({ source: source.log, target: broken, upTo: await source.log.head(), retry }, stream);
  expect(compared).toMatchObject({ held: 0, isHeld: true, fault: { kind: 'target-broken', revision: 0n } });
});
