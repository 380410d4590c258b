import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BrokenChain, ChainChecker, readChained } from './chain';
import { load, loadOnto, STREAM_EVENTS_MAX } from '../decide/load';
import { eventCodec } from './codec/codec';
import { f } from './codec/schema';
import { StoreUnavailable, type NewEvent, type Position, type Revision, type StoredEvent, type StreamName } from './port';
import { chainedEvents } from '../testing/chained-writer';
import { collect } from '../testing/new-events';

const A = 'payment-a' as StreamName;
const B = 'payment-b' as StreamName;

const stored = (stream: StreamName, events: readonly NewEvent[]): readonly StoredEvent[] =>
  events.map((event, index) => ({
    ...event,
    stream,
    revision: BigInt(index) as Revision,
    position: String(index + 1) as Position,
    createdMs: 0,
  }));
const written = (stream: StreamName, count: number): readonly NewEvent[] =>
  chainedEvents(stream, 'no_stream', count, 'request', stream).events;

const logOf = (...streams: readonly (readonly StoredEvent[])[]) => {
  const reads: string[] = [];
  return {
    reads,
    async *read(stream: StreamName, from = 0n as Revision): AsyncGenerator<StoredEvent, undefined> {
      reads.push(`${stream}@${from}`);
      for (const event of streams.flat()) if (event.stream === stream && event.revision >= from) yield event;
      return undefined;
    },
  };
};

const forged = (events: readonly StoredEvent[], at: number): readonly StoredEvent[] =>
  events.map((event, index) => (index === at ? { ...event, data: '{"content":"forged"}' } : event));

describe('readChained', () => {
  it('yields the events of a valid stream from any revision', async () => {
    const log = logOf(stored(A, written(A, 4)));
    for (const from of [0, 1, 3, 4, 9]) {
      const read = await collect(readChained(log, A, BigInt(from) as Revision));
      expect(read.map(({ revision }) => Number(revision))).toStrictEqual([0, 1, 2, 3].slice(from));
    }
  });

  it.each([0, 1, 2])('throws after the event that was forged at revision %i', async (at) => {
    const log = logOf(forged(stored(A, written(A, 4)), at));
    const seen: bigint[] = [];
    const reading = (async () => {
      for await (const { revision } of readChained(log, A)) seen.push(revision);
    })();
    await expect(reading).rejects.toThrow(`${A} revision ${at + 1} (position ${at + 2}): it does not follow from the event before it`);
    expect(seen).toHaveLength(at + 1);
  });

  it('throws if the event at the start revision is missing', async () => {
    const [first, , third] = stored(A, written(A, 3));
    const log = logOf([first, third].filter((event) => event !== undefined));
    await expect(collect(readChained(log, A, 1n as Revision))).rejects.toThrow(
      `${A} revision 2 (position 3): revision 1 before it is missing`,
    );
  });

  it('loadOnto throws if a stream has more than the maximum number of events', async () => {
    const codec = eventCodec<{ type: 'Tested'; data: { content: string } }>('payment', {
      Tested: { version: 1, meaning: 'a test', schema: f.object({ content: f.id() }) },
    });
    const fold = { initial: 0, evolve: (sum: number) => sum + 1 };
    const from = { state: 0, last: 'no_stream' as const, eventCount: STREAM_EVENTS_MAX - 2 };
    const loading = (count: number) => loadOnto(from, logOf(stored(A, written(A, count))) as never, A, fold, codec);
    await expect(loading(2)).resolves.toMatchObject({ state: 2, eventCount: STREAM_EVENTS_MAX });
    await expect(loading(3)).rejects.toStrictEqual(new Error(`${A}: more than 1000000 events`));
  });

  const swapped = (count: number) => [stored(A, written(B, count)), stored(B, written(A, count))];
  it.each([1, 4])('throws BrokenChain for streams whose events were swapped (%i events each)', async (count) => {
    const log = logOf(...swapped(count));
    for (const stream of [A, B]) {
      await expect(collect(readChained(log, stream))).rejects.toThrow(BrokenChain);
      await expect(collect(readChained(log, stream, BigInt(count - 1) as Revision))).rejects.toThrow('it was written to another stream');
      const codec = eventCodec<{ type: 'Tested'; data: { content: string } }>('payment', {
        Tested: { version: 1, meaning: 'a test', schema: f.object({ content: f.id() }) },
      });
      const fold = { initial: 0, evolve: (sum: number) => sum + 1 };
      await expect(load(log as never, stream, fold, codec)).rejects.toThrow(BrokenChain);
    }
    await expect(new ChainChecker(log).faultsIn(swapped(count).flat())).resolves.toHaveProperty('size', 2);
  });

  const golden = (name: string): readonly NewEvent[] =>
    JSON.parse(readFileSync(join(__dirname, 'golden', `${name}.json`), 'utf8')) as readonly NewEvent[];
  it('accepts events without a stream name in their metadata, in any stream', async () => {
    for (const stream of ['payment-golden', 'payment-other'].map((name) => name as StreamName))
      await expect(collect(readChained(logOf(stored(stream, golden('names-no-stream'))), stream))).resolves.toHaveLength(2);
  });
  it('accepts events that name their stream only in that stream', async () => {
    const events = golden('names-its-stream');
    const own = 'payment-golden' as StreamName;
    await expect(collect(readChained(logOf(stored(own, events)), own))).resolves.toHaveLength(2);
    const other = 'payment-other' as StreamName;
    await expect(collect(readChained(logOf(stored(other, events)), other))).rejects.toThrow('it was written to another stream');
  });
});

describe('ChainChecker', () => {
  it('finds no fault in valid streams, in any batch size, and reads nothing from the log', async () => {
    const [a, b] = [stored(A, written(A, 6)), stored(B, written(B, 6))];
    const log = logOf(a, b);
    const checker = new ChainChecker(log);
    const events = a.flatMap((event, index) => [event, b[index] as StoredEvent]);
    for (const [from, to] of [
      [0, 5],
      [5, 6],
      [6, 12],
    ] as const)
      await expect(checker.faultsIn(events.slice(from, to))).resolves.toHaveProperty('size', 0);
    await expect(checker.faultsIn(events)).resolves.toHaveProperty('size', 0);
    expect(log.reads).toStrictEqual([]);
  });

  it('continues a stream from a later revision with one read', async () => {
    const events = stored(A, written(A, 4));
    const log = logOf(events);
    await expect(new ChainChecker(log).faultsIn(events.slice(2))).resolves.toHaveProperty('size', 0);
    expect(log.reads).toStrictEqual([`${A}@1`]);
  });

  it('reports the first event that does not follow in a stream, and no fault in other streams', async () => {
    const [a, b] = [forged(stored(A, written(A, 4)), 1), stored(B, written(B, 4))];
    const faults = await new ChainChecker(logOf(a, b)).faultsIn([...a, ...b]);
    expect([...faults].map(([{ stream, revision }, { fault }]) => [stream, revision, fault])).toStrictEqual([
      [A, 2n, 'it does not follow from the event before it'],
    ]);
  });

  it('rejects if the log is unavailable, and finds no fault once the log is back', async () => {
    const events = stored(A, written(A, 2));
    let isAway = true;
    const log = logOf(events);
    const read = log.read.bind(log);
    log.read = async function* (...given): AsyncGenerator<StoredEvent, undefined> {
      if (isAway) throw new StoreUnavailable('away');
      yield* read(...given);
      return undefined;
    };
    const checker = new ChainChecker(log);
    await expect(checker.faultsIn(events.slice(1))).rejects.toStrictEqual(new StoreUnavailable('away'));
    isAway = false;
    await expect(checker.faultsIn(events.slice(1))).resolves.toHaveProperty('size', 0);
  });

  it('reports a missing event', async () => {
    const events = stored(A, written(A, 3));
    const faults = await new ChainChecker(logOf()).faultsIn(events.slice(1));
    expect([...faults.values()].map(({ fault }) => fault)).toStrictEqual(['revision 0 is missing']);
  });
});
