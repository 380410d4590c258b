import 'reflect-metadata';
import type { Violation } from '../world/oracle/report';
import type { World } from '../world/world';
import { marksOf, sizeOf } from './marks';
import { digestOf, inWorld } from './one-world';
import type { SeedAsked, SeedResult } from './seed-run';

// Ctrl-C reaches the whole process group. The parent still has to report, and then ends its workers.
process.on('SIGINT', () => undefined);

type Found = Omit<SeedResult, 'seed' | 'cpuMs'>;

const NOTHING: Pick<Found, 'marks' | 'size'> = { marks: [], size: { orders: 0, faults: 0 } };

const comparedTwice = async (seed: number): Promise<Found> => {
  const look = async (world: World): Promise<{ readonly digest: string; readonly size: Found['size'] }> => ({
    digest: await digestOf(world),
    size: await sizeOf(world),
  });
  const [first, second] = [await inWorld({ seed }, look), await inWorld({ seed }, look)];
  const differs: Violation = {
    invariant: 'a seed is the same world each time',
    about: 'log',
    seen: `${first.digest}, then ${second.digest}`,
  };
  return { marks: [], size: first.size, violations: first.digest === second.digest ? [] : [differs] };
};

const found = ({ seed, isTwice }: SeedAsked): Promise<Found> =>
  isTwice
    ? comparedTwice(seed)
    : inWorld({ seed }, async (world, violations) => ({
        violations,
        marks: [...(await marksOf(world))],
        size: await sizeOf(world),
      }));

const resultOf = async (asked: SeedAsked): Promise<SeedResult> => {
  const before = process.cpuUsage();
  const result = await found(asked).catch((error: unknown): Found => ({
    ...NOTHING,
    violations: [{ invariant: 'a world runs', about: 'world', seen: String(error) }],
  }));
  const { user, system } = process.cpuUsage(before);
  return { ...result, seed: asked.seed, cpuMs: (user + system) / 1_000 };
};

process.on('message', (asked: SeedAsked) => void resultOf(asked).then((result) => process.send?.(result)));
