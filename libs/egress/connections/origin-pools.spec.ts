import { OriginPools, type Place } from './origin-pools';

const origin = (index: number) => `http://m${index}.example`;
const pools = () => new OriginPools(() => undefined);
const taken = (place: Place | undefined): Place => {
  if (place === undefined) throw new Error('no place');
  return place;
};

it('keeps one pool an origin', () => {
  const all = pools();
  const [first, second, other] = [taken(all.take(origin(1))), taken(all.take(origin(1))), taken(all.take(origin(2)))];
  expect(first.pool).toBe(second.pool);
  expect(other.pool).not.toBe(first.pool);
});

it('gives 64 places an origin, and one back for each that is released', () => {
  const all = pools();
  const places = Array.from({ length: 64 }, () => taken(all.take(origin(1))));
  expect(all.take(origin(1))).toBeUndefined();
  expect(all.take(origin(2))).toBeDefined();
  places[0]?.release();
  expect(all.take(origin(1))).toBeDefined();
  expect(all.take(origin(1))).toBeUndefined();
});

it('gives 2048 places in all', () => {
  const all = pools();
  for (let index = 0; index < 2_048; index++) expect(all.take(origin(index % 32))).toBeDefined();
  expect(all.take(origin(99))).toBeUndefined();
});

it('gives as many as its owner says', () => {
  const all = new OriginPools(() => undefined, { perOriginMax: 2, inAllMax: 3 });
  expect([1, 1, 1, 2, 2].map((index) => all.take(origin(index)) !== undefined)).toEqual([true, true, false, true, false]);
});

it('closes the origin unused for longest to make room, and never one in use', async () => {
  const all = pools();
  const held = taken(all.take(origin(0)));
  const idle = taken(all.take(origin(1)));
  idle.release();
  for (let index = 2; index < 1_024; index++) taken(all.take(origin(index))).release();
  taken(all.take(origin(1))).release();
  expect(taken(all.take(origin(1_024))).pool).not.toBe(held.pool);
  expect(held.pool.closed).toBe(false);
  expect(taken(all.take(origin(1))).pool).toBe(idle.pool);
  expect(idle.pool.closed).toBe(false);
  await all.close();
  expect([held.pool.closed, idle.pool.closed]).toEqual([true, true]);
});

it('takes no new origin while all are in use', () => {
  const all = pools();
  for (let index = 0; index < 1_024; index++) taken(all.take(origin(index)));
  expect(all.take(origin(1_024))).toBeUndefined();
  expect(all.take(origin(5))).toBeDefined();
});
