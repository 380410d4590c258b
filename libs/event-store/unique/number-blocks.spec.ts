import { seededIds, VirtualClock } from '@app/testing';
import { MemoryEventStore } from '../stores/memory';
import { EXHAUSTED, NumberBlocks, shareOf, type Cell } from './number-blocks';

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

it('a number is refused after a hundred blocks that other requests used up while it waited', async () => {
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

describe('the cells of an installation', () => {
  const series = { name: 'shared', actor: 'test', blockSize: 2, size: 13 };
  const ids = seededIds();
  const blocksOf = (cell: Cell | undefined, store = new MemoryEventStore(clock)): NumberBlocks =>
    new NumberBlocks({ series, store, clock, ids, bootId: 'boot-1', ...(cell && { cell }) });
  const all = async (numbers: NumberBlocks): Promise<readonly number[]> => {
    const issued: number[] = [];
    for (let next = await numbers.next(); next !== EXHAUSTED; next = await numbers.next()) issued.push(next);
    return issued;
  };

  it('share out a series: every number is given by one of them', async () => {
    const given = await Promise.all([1, 2, 3].map((number) => all(blocksOf({ number, of: 3 }))));
    expect(given).toStrictEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10, 11, 12],
    ]);
    expect([1, 2, 3].map((number) => shareOf(series, { number, of: 3 }))).toStrictEqual([
      { first: 0, end: 4 },
      { first: 4, end: 8 },
      { first: 8, end: 13 },
    ]);
  });

  it('begin with the log of the only one as the first, and go on where it was', async () => {
    const store = new MemoryEventStore(clock);
    expect(await blocksOf(undefined, store).next()).toBe(0);
    expect(await all(blocksOf({ number: 1, of: 3 }, store))).toStrictEqual([2, 3]);
  });

  it.each([
    ['another cell', { number: 2, of: 3 }, { number: 3, of: 3 }, '4'],
    ['no cell where it was one', { number: 2, of: 3 }, undefined, '4'],
    ['a later cell than the only one', undefined, { number: 2, of: 3 }, '0'],
  ])('refuse a log of theirs that is opened as %s', async (_what, was, is, first) => {
    const store = new MemoryEventStore(clock);
    await blocksOf(was, store).open();
    const { number, of } = is ?? { number: 1, of: 1 };
    await expect(blocksOf(is, store).open()).rejects.toThrow(
      `serial-shared has numbers from ${first} on, which are not those of cell ${number} of ${of}: the log belongs to another cell`,
    );
  });

  it('refuse a log that has given more than the share of its cell', async () => {
    const store = new MemoryEventStore(clock);
    await all(blocksOf(undefined, store));
    await expect(blocksOf({ number: 1, of: 3 }, store).open()).rejects.toThrow(/which are not those of cell 1 of 3/);
  });
});
