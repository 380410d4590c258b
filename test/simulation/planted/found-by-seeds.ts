import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { WORKER_FLAGS } from '../tool/seed-run';
import type { PLANTED_BUGS } from './planted-bugs';

const ROOT = join(__dirname, '../../..');
const TOOL = join(ROOT, 'test/simulation/tool/run.mjs');
const TIMEOUT_MS = 1_800_000;
export const IN_EACH_RUN = 'resubmit-on-timeout';

const sim = async (...asked: string[]): Promise<string> => {
  const running = promisify(execFile)(process.execPath, [...WORKER_FLAGS, TOOL, ...asked], { cwd: ROOT, timeout: TIMEOUT_MS });
  const { stdout } = await running.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  return stdout.trimEnd();
};

export const bugsAreFound = (bugs: typeof PLANTED_BUGS): void => {
  it.each(bugs)(
    'is found by one of the first $withinSeeds seeds, which pass without the bug: $name',
    async ({ name, withinSeeds }) => {
      const { failedSeed } = JSON.parse(
        (await sim('--planted', name, '--seeds', String(withinSeeds), '--json')).split('\n').at(-1) ?? '',
      ) as { readonly failedSeed: number | null };
      expect(failedSeed).not.toBeNull();
      expect(JSON.parse(await sim('--seed', String(failedSeed), '--json'))).toStrictEqual({ seed: failedSeed, violated: [] });
    },
    TIMEOUT_MS,
  );
};
