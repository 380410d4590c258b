import 'reflect-metadata';
import { marksOf } from './marks';
import { inWorld } from './one-world';
import type { SeedResult } from './seed-run';

// Ctrl-C reaches the whole group; the parent still has to tell what was found, and then ends its workers.
process.on('SIGINT', () => undefined);

process.on('message', (seed: number) => {
  inWorld({ seed }, async (world, violations): Promise<SeedResult> => ({ seed, violations, marks: [...(await marksOf(world))] })).then(
    (result) => process.send?.(result),
    (error: unknown) =>
      process.send?.({ seed, violations: [{ invariant: 'a world runs', about: 'world', seen: String(error) }], marks: [] }),
  );
});
