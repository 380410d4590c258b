import { violationsOf, type Violation } from '../world/oracle';
import { World, type WorldSettings } from '../world/world';

/** Runs a world to its rest, looks at it, and takes it down. */
export const inWorld = async <Result>(
  settings: WorldSettings,
  look: (world: World, violations: readonly Violation[]) => Promise<Result>,
): Promise<Result> => {
  const world = await World.create(settings);
  try {
    await world.run();
    return await look(world, await violationsOf(world));
  } finally {
    world.remove();
  }
};
