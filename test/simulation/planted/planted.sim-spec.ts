import { execFile, type ExecFileException } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PlantedBug } from './planted-bug';
import { PLANTED_BUGS } from './planted-bugs';

const ROOT = join(__dirname, '../../..');
const TOOL = join(ROOT, 'test/simulation/tool/run.mjs');
/** A program is packed, and then runs its worlds; on a machine that does other things too. */
const PROGRAM_MS = 100_000;
const ALL_SEEDS_MS = 600_000;
/** Each costs a program of its own: one that moves money twice is tried in each run, all of them by `npm run test:long`. */
const IN_EACH_RUN = 'resubmit-on-timeout';
const tried = PLANTED_BUGS.filter(({ name }) => process.env['TEST_LONG'] === 'all' || name === IN_EACH_RUN);

interface WorldOfSeed {
  readonly seed: number;
  readonly violated: readonly string[];
}

/** The command ends with 1 where something is violated, which is what most of these are for. */
const FOUND = 1;

const worldsOf = async (seeds: readonly number[], bug?: PlantedBug, timeout = PROGRAM_MS): Promise<readonly WorldOfSeed[]> => {
  const asked = [...seeds.flatMap((seed) => ['--seed', String(seed)]), '--json', ...(bug === undefined ? [] : ['--planted', bug.name])];
  const stdout = await promisify(execFile)(process.execPath, [TOOL, ...asked], { cwd: ROOT, timeout }).then(
    (ended) => ended.stdout,
    (error: ExecFileException & { readonly stdout: string }) => {
      if (error.code !== FOUND) throw error;
      return error.stdout;
    },
  );
  return stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as WorldOfSeed); // prettier-ignore
};

describe('a planted bug (safety, section 4)', () => {
  it.each(PLANTED_BUGS)('finds its places in the code as it is: $name', async ({ edits }) => {
    for (const { file, find } of edits) {
      const text = await readFile(join(ROOT, file), 'utf8');
      expect([file, text.split(find).length - 1]).toStrictEqual([file, 1]);
    }
  });

  it.each(tried)(
    'is found by its seed: $name',
    async (bug) => {
      const [world] = await worldsOf([bug.seed], bug);
      expect(world?.violated).toContain(bug.violates);
    },
    PROGRAM_MS,
  );

  it(
    'is what its seed finds: without one, nothing is violated at the same seeds',
    async () => {
      const seeds = [...new Set(tried.map(({ seed }) => seed))];
      expect(await worldsOf(seeds, undefined, ALL_SEEDS_MS)).toStrictEqual(seeds.map((seed) => ({ seed, violated: [] })));
    },
    ALL_SEEDS_MS,
  );
});
