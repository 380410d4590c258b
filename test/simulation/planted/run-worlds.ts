import 'reflect-metadata';
import { violationsOf } from '../world/oracle';
import { STANDARD, World } from '../world/world';

/**
 * Runs the worlds of the seeds that are given, or of a range `1-1000` until one violates something. A line of JSON for each: the seed, and the names of the
 * violated invariants. With `PLANTED_BUG` in the environment, the code of all of them has that bug:
 * `PLANTED_BUG=resubmit-on-timeout node --require ./test/simulation/planted/sources.cjs test/simulation/planted/run-worlds.ts 1-1000`
 */
const violatedIn = async (seed: number): Promise<readonly string[]> => {
  const world = await World.create({ ...STANDARD, seed });
  try {
    await world.run();
    return [...new Set((await violationsOf(world)).map(({ invariant }) => invariant))];
  } finally {
    world.remove();
  }
};

const seedsOf = (given: string): readonly number[] => {
  const [from = 1, to = from] = given.split('-').map(Number);
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
};

const main = async (given: readonly string[]): Promise<void> => {
  const isSearch = given.some((seeds) => seeds.includes('-'));
  for (const seed of given.flatMap(seedsOf)) {
    const violated = await violatedIn(seed);
    process.stdout.write(`${JSON.stringify({ seed, violated })}\n`);
    if (isSearch && violated.length > 0) return;
  }
};

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
