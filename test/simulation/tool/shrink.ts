import { HEALTHY, type Swarm } from '../world/swarm';

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

export type IsViolatedIn = (world: ShrunkWorld) => Promise<boolean>;

type Rates = Readonly<Record<string, number>>;

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

/** Removes one fault at a time, then halves devices, orders and instances. Chance is keyed, so the rest happens as before. */
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
