import { seededIds, VirtualClock } from '@app/testing';
import { MemoryEventStore } from '../stores/memory';
import { EXHAUSTED, NumberBlocks } from './number-blocks';

const clock = new VirtualClock();

it('a series whose size is no multiple of its block gives each number once, and then none', async () => {
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
