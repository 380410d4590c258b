import { seededIds, VirtualClock } from '@app/testing';
import { MemoryEventStore } from '../stores/memory';
import type { StreamName } from '../core/port';
import { EXHAUSTED, NumberBlocks, serialCodec } from './number-blocks';

const clock = new VirtualClock();

it('NumberBlocks issues each number once if the size is no multiple of the block size, and is then exhausted', async () => {
  const reserved: number[] = [];
  const numbers = new NumberBlocks({
    series: { name: 'short', actor: 'test', blockSize: 2, size: 5 },
    store: new MemoryEventStore(clock),
    clock,
    ids: seededIds(),
    bootId: 'boot-1',
    onReserved: (end) => reserved.push(end),
  });
  await numbers.open();
  const issued: unknown[] = [];
  for (let request = 0; request < 7; request++) issued.push(await numbers.next());
  expect(issued).toStrictEqual([0, 1, 2, 3, 4, EXHAUSTED, EXHAUSTED]);
  expect(reserved).toStrictEqual([2, 4, 5]);
});

it('NumberBlocks refuses a request after other requests used up a hundred blocks while it waited', async () => {
  const numbers = new NumberBlocks({
    series: { name: 'crowded', actor: 'test', blockSize: 1, size: 1_000 },
    store: new MemoryEventStore(clock),
    clock,
    ids: seededIds(),
    bootId: 'boot-1',
  });
  const waiting = Array.from({ length: 150 }, async () => numbers.next());
  const ended = await Promise.allSettled(waiting);
  const issued = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const refused = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  expect(new Set(issued).size).toBe(100);
  expect(refused).toHaveLength(50);
  expect(new Set(refused.map(String))).toStrictEqual(
    new Set(['StoreUnavailable: 100 blocks of serial-crowded were used while one request waited']),
  );
  expect(await numbers.next()).toBe(100);
});

it('NumberBlocks continues after the newest block in the log, even if that block is not aligned', async () => {
  const store = new MemoryEventStore(clock);
  const stream = 'serial-shared' as StreamName;
  const envelope = { correlation: 'b', causation: 'b', actor: 'a', merchant: '', commandId: 'c', recordedAt: clock.now() };
  const reserved = { type: 'BlockReserved', data: { first: 4n, count: 2, holder: 'boot-0' } } as const;
  await store.append(stream, 'no_stream', serialCodec.encode([reserved], stream, 'no_stream', envelope));
  const numbers = new NumberBlocks({
    series: { name: 'shared', actor: 'test', blockSize: 2, size: 9 },
    store,
    clock,
    ids: seededIds(),
    bootId: 'boot-1',
  });
  const issued: unknown[] = [];
  for (let request = 0; request < 4; request++) issued.push(await numbers.next());
  expect(issued).toStrictEqual([6, 7, 8, EXHAUSTED]);
});
