import { createHash } from 'node:crypto';
import { violationsOf } from '../world/oracle';
import type { Violation } from '../world/oracle/report';
import { eventsOf } from '../world/stores';
import { World, type WorldSettings } from '../world/world';

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

export const digestOf = async (world: World): Promise<string> => {
  const hash = createHash('sha256');
  for (const { stream, type, data, metadata, createdMs } of await eventsOf(world))
    hash.update(JSON.stringify([stream, type, data, metadata, createdMs]));
  return hash.digest('hex');
};
