import { HEALTHY, type Swarm } from '../world/swarm';

/** A world that is as small as can be while the same invariant is still violated. */
export interface ShrunkWorld {
  readonly seed: number;
  readonly swarm: Swarm;
  readonly ordersPerMerchant: number;
  readonly devices: number;
  readonly instanceCount: number;
}

const LEAST = [
  ['devices', 0],
  ['ordersPerMerchant', 1],
  ['instanceCount', 1],
] as const;

/** Whether the invariant that is looked for is still violated in this world. */
export type IsViolatedIn = (world: ShrunkWorld) => Promise<boolean>;

type Rates = Readonly<Record<string, number>>;

/** The faults of a swarm that are not as in a healthy world, each with its rate. */
export const faultsOf = (swarm: Swarm): readonly (readonly [part: keyof Swarm, fault: string, rate: number])[] =>
  (Object.keys(HEALTHY) as (keyof Swarm)[]).flatMap((part) =>
    Object.entries(swarm[part] as unknown as Rates)
      .filter(([fault, rate]) => rate !== (HEALTHY[part] as unknown as Rates)[fault])
      .map(([fault, rate]) => [part, fault, rate] as const),
  );

const without = (swarm: Swarm, part: keyof Swarm, fault: string): Swarm => ({
  ...swarm,
  [part]: { ...swarm[part], [fault]: (HEALTHY[part] as unknown as Rates)[fault] },
});

/** Takes one fault after the other away, then halves devices, orders and instances. Chance is keyed, so what stays happens as before. */
export const shrink = async (first: ShrunkWorld, isViolatedIn: IsViolatedIn): Promise<ShrunkWorld> => {
  let world = first;
  const keepIfViolated = async (smaller: ShrunkWorld): Promise<boolean> => {
    const isViolated = await isViolatedIn(smaller);
    if (isViolated) world = smaller;
    return isViolated;
  };
  for (const [part, fault] of faultsOf(first.swarm)) await keepIfViolated({ ...world, swarm: without(world.swarm, part, fault) });
  for (const [field, least] of LEAST)
    while (world[field] > least && (await keepIfViolated({ ...world, [field]: Math.floor(world[field] / 2) })));
  return world;
};
