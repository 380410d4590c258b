import 'reflect-metadata';
import { digestOf, inWorld } from '../tool/one-world';
import { HEALTHY } from './swarm';
import type { World } from './world';

/** A run takes seconds, and longer on a busy machine. */
jest.setTimeout(180_000);

const CALM = { ...HEALTHY, gate: { ...HEALTHY.gate, declines: 0 }, merchant: { ...HEALTHY.merchant, payerLeaves: 0 } };
const SEEDS = Number(process.env['SEEDS'] ?? '1');
const seeds = Array.from({ length: SEEDS }, (_, at) => at + 1);

const finalStates = (world: World): ReadonlySet<string | undefined> =>
  new Set(
    world.merchants.flatMap(({ orders }) =>
      [...orders.values()].map(({ statuses }) => {
        const last = statuses.at(-1)?.fields;
        return last === undefined || last === 'lost' ? undefined : last['status'];
      }),
    ),
  );

const newStorm = (seed: number) => inWorld({ seed }, async (world, violations) => ({ violations, digest: await digestOf(world) }));
const storms = new Map<number, ReturnType<typeof newStorm>>();
const stormOf = (seed: number): ReturnType<typeof newStorm> => {
  const known = storms.get(seed) ?? newStorm(seed);
  storms.set(seed, known);
  return known;
};

describe('a seeded simulation run (safety, section 4)', () => {
  it('without faults keeps every invariant, and its orders end approved', async () => {
    await inWorld({ seed: 1, swarm: CALM }, async (world, violations) => {
      expect(violations).toStrictEqual([]);
      expect([...finalStates(world)].toSorted()).toStrictEqual(['approved']);
      expect(world.instances.deaths).toBe(0);
      // The run itself sets the clock forward once, at its end.
      expect(new Set(world.instances.lines.map(({ event }) => event))).toStrictEqual(new Set(['clock.jumped']));
    });
  });

  it.each(seeds)('keeps every invariant under the faults of seed %i', async (seed) => {
    expect((await stormOf(seed)).violations).toStrictEqual([]);
  });

  it.each([1])('is reproducible to the byte from its seed: %i', async (seed) => {
    const { digest } = await stormOf(seed);
    expect((await newStorm(seed)).digest).toBe(digest);
  });
});
