import { OriginPools, type CallSlot } from './origin-pools';

const origin = (index: number) => `http://m${index}.example`;
const pools = () => new OriginPools(() => undefined);
const acquired = (slot: CallSlot | undefined): CallSlot => {
  if (slot === undefined) throw new Error('no slot');
  return slot;
};

it('keeps one pool for each origin', () => {
  const all = pools();
  const [first, second, other] = [acquired(all.acquire(origin(1))), acquired(all.acquire(origin(1))), acquired(all.acquire(origin(2)))];
  expect(first.pool).toBe(second.pool);
  expect(other.pool).not.toBe(first.pool);
});

it('gives 64 slots to an origin, and another for each that is released', () => {
  const all = pools();
  const slots = Array.from({ length: 64 }, () => acquired(all.acquire(origin(1))));
  expect(all.acquire(origin(1))).toBeUndefined();
  expect(all.acquire(origin(2))).toBeDefined();
  slots[0]?.release();
  expect(all.acquire(origin(1))).toBeDefined();
  expect(all.acquire(origin(1))).toBeUndefined();
});

it('gives 2048 slots in all', () => {
  const all = pools();
  for (let index = 0; index < 2_048; index++) expect(all.acquire(origin(index % 32))).toBeDefined();
  expect(all.acquire(origin(99))).toBeUndefined();
});

it('gives the number of slots that its owner configures', () => {
  const all = new OriginPools(() => undefined, { perOriginMax: 2, inAllMax: 3 });
  expect([1, 1, 1, 2, 2].map((index) => all.acquire(origin(index)) !== undefined)).toEqual([true, true, false, true, false]);
});

it('closes the origin unused for longest to make room, and never one in use', async () => {
  const all = pools();
  const held = acquired(all.acquire(origin(0)));
  const idle = acquired(all.acquire(origin(1)));
  idle.release();
  for (let index = 2; index < 1_024; index++) acquired(all.acquire(origin(index))).release();
  acquired(all.acquire(origin(1))).release();
  expect(acquired(all.acquire(origin(1_024))).pool).not.toBe(held.pool);
  expect(held.pool.closed).toBe(false);
  expect(acquired(all.acquire(origin(1))).pool).toBe(idle.pool);
  expect(idle.pool.closed).toBe(false);
  await all.close();
  expect([held.pool.closed, idle.pool.closed]).toEqual([true, true]);
});

it('refuses a new origin while all are in use', () => {
  const all = pools();
  for (let index = 0; index < 1_024; index++) acquired(all.acquire(origin(index)));
  expect(all.acquire(origin(1_024))).toBeUndefined();
  expect(all.acquire(origin(5))).toBeDefined();
});
