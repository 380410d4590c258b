import type { Clock, NonEmpty } from '@app/kernel';
import { hashOf } from '../core/chain';
import { eventCodec, type EventCodec } from '../core/codec/codec';
import type { Envelope, Last } from '../core/envelope';
import { FoldedStreams } from './load';
import { MemoryEventStore } from '../stores/memory';
import type { EventStore, Revision, StreamName } from '../core/port';
import { f } from '../core/codec/schema';
import { streamName } from '../core/names-and-ids';

type Counted = { readonly type: 'Counted'; readonly data: { readonly by: number } };

const codec: EventCodec<Counted> = eventCodec<Counted>('counter', {
  Counted: { version: 1, meaning: 'One more', schema: f.object<Counted['data']>({ by: f.int() }) },
});
const fold = { initial: 0, evolve: (sum: number, { data }: Counted) => sum + data.by };
const envelope: Envelope = {
  correlation: 'c',
  causation: 'c',
  actor: 'a',
  merchant: 'm',
  commandId: 'x',
  recordedAt: 1 as Envelope['recordedAt'],
};

const setUp = () => {
  const store = new MemoryEventStore({ now: () => 1 } as unknown as Clock);
  const reads: [StreamName, Revision | undefined][] = [];
  const counted: EventStore = Object.assign(Object.create(store) as EventStore, {
    read: (stream: StreamName, from?: Revision) => {
      reads.push([stream, from]);
      return store.read(stream, from);
    },
  });
  const lasts = new Map<StreamName, Last>();
  const count = async (stream: StreamName, ...by: readonly number[]): Promise<void> => {
    const last = lasts.get(stream) ?? 'no_stream';
    const events = by.map((one): Counted => ({ type: 'Counted', data: { by: one } })) as unknown as NonEmpty<Counted>;
    const encoded = codec.encode(events, stream, last, { ...envelope, commandId: `x${lasts.size}${by.join()}` });
    const appended = await store.append(stream, last === 'no_stream' ? last : last.revision, encoded);
    if (appended.kind === 'conflict') throw new Error('conflict');
    lasts.set(stream, { revision: appended.revision, hash: hashOf(encoded[encoded.length - 1] ?? encoded[0]) });
  };
  return { streams: new FoldedStreams(counted, fold, codec), count, reads };
};

const A = streamName('counter', 'a');

describe('FoldedStreams', () => {
  it('reads only the events added since the last load', async () => {
    const { streams, count, reads } = setUp();
    await count(A, 1, 2);
    await expect(streams.load(A)).resolves.toMatchObject({ state: 3, eventCount: 2 });
    await expect(streams.load(A)).resolves.toMatchObject({ state: 3, eventCount: 2 });
    await count(A, 4);
    await expect(streams.load(A)).resolves.toMatchObject({ state: 7, eventCount: 3, last: { revision: 2n } });
    expect(reads.map(([, from]) => from)).toEqual([0n, 2n, 2n]);
  });

  it('does not cache a missing stream, and finds it once it exists', async () => {
    const { streams, count } = setUp();
    await expect(streams.load(A)).resolves.toMatchObject({ state: 0, last: 'no_stream' });
    await count(A, 5);
    await expect(streams.load(A)).resolves.toMatchObject({ state: 5, eventCount: 1 });
  });

  it('folds a stream of 70 events from its start on each load', async () => {
    const { streams, count, reads } = setUp();
    await count(A, ...Array.from({ length: 70 }, () => 1));
    await streams.load(A);
    await expect(streams.load(A)).resolves.toMatchObject({ state: 70, eventCount: 70 });
    expect(reads.map(([, from]) => from)).toEqual([0n, 0n]);
  });
});
