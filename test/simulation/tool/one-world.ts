import { violationsOf, type Violation } from '../world/oracle';
import { STANDARD, World, type WorldSettings } from '../world/world';

/** Runs a world of the standard size, where no other is set, to its rest, looks at it, and takes it down. */
export const inWorld = async <Result>(
  settings: WorldSettings,
  look: (world: World, violations: readonly Violation[]) => Promise<Result>,
): Promise<Result> => {
  const world = await World.create({ ...STANDARD, ...settings });
  try {
    await world.run();
    return await look(world, await violationsOf(world));
  } finally {
    world.remove();
  }
};
