import { VirtualClock } from '@app/testing';
import type { Revision, StreamName } from '../core/port';
import { MemoryEventStore } from '../stores/memory';
import { ChainedWriter } from '../testing/chained-writer';
import { FollowedStream } from './followed-stream';

const STREAM = 'followed-one' as StreamName;

const setUp = async (old: number, fresh: number) => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const writer = new ChainedWriter(store);
  const write = (count: number, content: string) => writer.write(STREAM, count, content, content);
  if (old > 0) await write(old, 'old');
  if (fresh > 0) await write(fresh, 'fresh');
  let reads = 0;
  const followed = new FollowedStream<readonly number[]>({
    store: { read: (stream, from?: Revision) => ((reads += 1), store.read(stream, from)) },
    stream: STREAM,
    initial: [],
    evolve: (state, { revision }) => [...state, Number(revision)],
    isOver: ({ data }) => data.includes('old'),
    scheduler: clock,
    onError: (error) => {
      throw error;
    },
  });
  return { followed, write, reads: () => reads };
};

describe('a followed stream with events that no longer matter', () => {
  it.each([0, 1, 2, 3, 4, 5, 7, 8, 9].flatMap((old) => [0, 1, 2, 9].map((fresh) => [old, fresh] as const)))(
    'begins after %d of them, and has the %d others and each later event',
    async (old, fresh) => {
      const { followed, write } = await setUp(old, fresh);
      await followed.refresh();
      const others = Array.from({ length: fresh + 2 }, (_, index) => old + index);
      expect(followed.state).toStrictEqual(others.slice(0, fresh));
      await write(2, 'fresh');
      await followed.refresh();
      expect(followed.state).toStrictEqual(others);
      expect(followed.loaded).toMatchObject({ last: { revision: BigInt(old + fresh + 1) }, eventCount: fresh + 2 });
    },
  );

  it('finds its beginning behind 10,000 of them with less than 40 reads', async () => {
    const { followed, reads } = await setUp(10_000, 1);
    await followed.refresh();
    expect(followed.state).toStrictEqual([10_000]);
    expect(reads()).toBeLessThan(40);
  });
});
