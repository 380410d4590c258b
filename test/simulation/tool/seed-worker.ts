import 'reflect-metadata';
import { marksOf } from './marks';
import type { Violation } from '../world/oracle/report';
import type { World } from '../world/world';
import { digestOf, inWorld } from './one-world';
import type { SeedAsked, SeedResult } from './seed-run';

// Ctrl-C reaches the whole group; the parent still has to tell what was found, and then ends its workers.
process.on('SIGINT', () => undefined);

const digest = (world: World): Promise<string> => digestOf(world);

const violationsTwice = async (seed: number): Promise<readonly Violation[]> => {
  const [first, second] = [await inWorld({ seed }, digest), await inWorld({ seed }, digest)];
  return first === second ? [] : [{ invariant: 'a seed is the same world each time', about: 'log', seen: `${first}, then ${second}` }];
};

const resultOf = async ({ seed, isTwice }: SeedAsked): Promise<SeedResult> =>
  isTwice
    ? { seed, violations: await violationsTwice(seed), marks: [] }
    : inWorld({ seed }, async (world, violations) => ({ seed, violations, marks: [...(await marksOf(world))] }));

process.on('message', (asked: SeedAsked) => {
  resultOf(asked).then(
    (result) => process.send?.(result),
    (error: unknown) =>
      process.send?.({ seed: asked.seed, violations: [{ invariant: 'a world runs', about: 'world', seen: String(error) }], marks: [] }),
  );
});
