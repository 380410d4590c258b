import type { NonEmpty } from '@app/kernel';
import type { EventId, Position, Revision, StoredEvent, StreamName } from '../core/port';
import { StreamCopies } from './stream-copies';

const eventAt = (stream: string, revision: number, more: Partial<StoredEvent> = {}): StoredEvent => ({
  id: `${stream}@${revision}` as EventId,
  type: 'Tested',
  data: '{}',
  metadata: '{}',
  stream: stream as StreamName,
  revision: BigInt(revision) as Revision,
  position: '1' as Position,
  createdMs: 0,
  ...more,
});

const eventsOf = (stream: string, from: number, count: number): NonEmpty<StoredEvent> => [
  eventAt(stream, from),
  ...Array.from({ length: count - 1 }, (_, index) => eventAt(stream, from + 1 + index)),
];

const copied = async (copies: StreamCopies, stream: string, from?: number): Promise<bigint[]> => {
  const revisions: bigint[] = [];
  for await (const { revision } of copies.read(stream as StreamName, from === undefined ? undefined : (BigInt(from) as Revision)))
    revisions.push(revision);
  return revisions;
};

describe('StreamCopies', () => {
  it('hold a stream from its first event, and ignore events that they hold', async () => {
    const copies = new StreamCopies();
    copies.extend(eventsOf('a-1', 0, 2));
    copies.extend([eventAt('a-1', 2)]);
    for (const revision of [1, 0, 2]) copies.extend([eventAt('a-1', revision)]);
    expect(await copied(copies, 'a-1')).toStrictEqual([0n, 1n, 2n]);
    expect(await copied(copies, 'a-1', 2)).toStrictEqual([2n]);
    expect(await copied(copies, 'a-2')).toStrictEqual([]);
  });

  it.each([
    ['its first event is not known', [eventAt('a-1', 1)]],
    ['events are missing', [eventAt('a-1', 0), eventAt('a-1', 2)]],
    ['an event of the same revision is another one', [eventAt('a-1', 0), eventAt('a-1', 0, { id: 'other' as EventId })]],
    ['it becomes longer than 16 events', eventsOf('a-1', 0, 17)],
    ['it becomes longer than 16,384 characters', [eventAt('a-1', 0), eventAt('a-1', 1, { data: 'x'.repeat(16_384) })]],
  ])('hold no stream if %s', (_why, events) => {
    const copies = new StreamCopies();
    for (const event of events) copies.extend([event]);
    expect(copies.get('a-1' as StreamName)).toBeUndefined();
  });

  it('hold at most 4,000 streams, those that changed last', () => {
    const copies = new StreamCopies();
    for (let stream = 0; stream < 4_000; stream++) copies.extend([eventAt(`a-${stream}`, 0)]);
    copies.extend([eventAt('a-0', 1)]);
    copies.extend([eventAt('b-1', 0)]);
    expect(copies.get('a-0' as StreamName)).toHaveLength(2);
    expect(copies.get('a-1' as StreamName)).toBeUndefined();
    expect(copies.get('a-2' as StreamName)).toHaveLength(1);
  });
});
