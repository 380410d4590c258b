import fc from 'fast-check';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { VirtualClock } from '@app/testing';
import { MemoryDisk } from '../../testing/memory-database';
import { partitionsContract } from '../../testing/partitions.contract';
import { isOfPartition, partitionOf, WHOLE } from './partitions';

partitionsContract(
  'a disk in memory',
  async () => {
    const disk = await MemoryDisk.create();
    return { open: () => Promise.resolve(disk.open()), remove: () => Promise.resolve(disk.remove()) };
  },
  () => new MemoryEventStore(new VirtualClock()),
);

describe('partition', () => {
  it('contains a key only if partitionOf returns its number, and contains every undefined key', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (key, of) => {
        const numbers = Array.from({ length: of }, (_, at) => at + 1);
        expect(numbers.filter((number) => isOfPartition({ number, of }, key))).toStrictEqual([partitionOf(key, of)]);
        expect(numbers.every((number) => isOfPartition({ number, of }, undefined))).toBe(true);
      }),
    );
    expect(isOfPartition(WHOLE, 'any')).toBe(true);
  });

  it.each([2, 3, 4, 8])('of %d receives about the same number of streams as the others', (of) => {
    const counts = new Map<number, number>();
    const keys = 20_000;
    for (let at = 0; at < keys; at++) {
      const number = partitionOf(`payment-${Math.imul(at, 2_654_435_761) >>> 0}`, of);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toStrictEqual(Array.from({ length: of }, (_, at) => at + 1));
    for (const count of counts.values()) expect(Math.abs(count * of - keys) / keys).toBeLessThan(0.1);
  });

  it('assigns the same numbers to the same streams in every release', () => {
    expect(['payment-a', 'payment-b', 'payment-c', 'payment-d'].map((key) => [2, 3, 64].map((of) => partitionOf(key, of))))
      .toMatchInlineSnapshot(`
     [
       [
         1,
         3,
         3,
       ],
       [
         1,
         3,
         57,
       ],
       [
         1,
         3,
         47,
       ],
       [
         2,
         3,
         14,
       ],
     ]
    `);
  });
});
