import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { WORKER_FLAGS } from '../tool/seed-run';
import type { PlantedBug } from './planted-bug';
import { PLANTED_BUGS } from './planted-bugs';

const ROOT = join(__dirname, '../../..');
const TOOL = join(ROOT, 'test/simulation/tool/run.mjs');
const WORKER = join(ROOT, 'test/simulation/tool/planted-worker.mjs');
/** A world is packed, and then run; on a machine that does other things too. */
const WORLD_MS = 180_000;
const ALL_SEEDS_MS = 600_000;
/** Each costs a world of code that nothing has run yet: one that moves money twice is tried in each run, all of them with `PLANTED=all`. */
const IN_EACH_RUN = 'resubmit-on-timeout';
const tried = PLANTED_BUGS.filter(({ name }) => process.env['PLANTED'] === 'all' || name === IN_EACH_RUN);

/** Of each bug its code stays in the worker's memory. */
const BUGS_A_WORKER = 16;

interface Told {
  readonly violated?: readonly string[];
  readonly failed?: string;
}

/** Asks a process for the worlds of planted bugs, and takes a new one where a world did not end. */
class PlantedWorlds {
  #worker: ChildProcess | undefined;
  #asked = 0;
  #isWaiting = false;

  /** The invariants that the world of the bug's seed violates. @throws Error where it does not run */
  async violatedWith({ name }: PlantedBug): Promise<readonly string[]> {
    if (this.#isWaiting || this.#asked === BUGS_A_WORKER) this.end();
    const worker = (this.#worker ??= fork(WORKER, { cwd: ROOT, execArgv: [...WORKER_FLAGS] }));
    this.#asked += 1;
    this.#isWaiting = true;
    const listening = new AbortController();
    try {
      const told = once(worker, 'message', { signal: listening.signal }) as Promise<[Told]>;
      const ended = once(worker, 'exit', { signal: listening.signal });
      worker.send(name);
      const [answer] = await Promise.race([told, ended.then(() => [{ failed: 'the process ended' }] as [Told])]);
      if (answer.violated === undefined) throw new Error(`${name}: ${answer.failed}`);
      this.#isWaiting = false;
      return answer.violated;
    } finally {
      listening.abort();
    }
  }

  end(): void {
    if (this.#isWaiting) this.#worker?.kill('SIGKILL');
    else this.#worker?.disconnect();
    this.#worker = undefined;
    this.#asked = 0;
    this.#isWaiting = false;
  }
}

const planted = new PlantedWorlds();
afterAll(() => planted.end());

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
      expect(await planted.violatedWith(bug)).toContain(bug.violates);
    },
    WORLD_MS,
  );

  it(
    'is what its seed finds: without one, nothing is violated at the same seeds',
    async () => {
      const seeds = [...new Set(tried.map(({ seed }) => seed))];
      const asked = [...seeds.flatMap((seed) => ['--seed', String(seed)]), '--json'];
      const { stdout } = await promisify(execFile)(process.execPath, [...WORKER_FLAGS, TOOL, ...asked], {
        cwd: ROOT,
        timeout: ALL_SEEDS_MS,
      });
      const worlds = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as object); // prettier-ignore
      expect(worlds).toStrictEqual(seeds.map((seed) => ({ seed, violated: [] })));
    },
    ALL_SEEDS_MS,
  );
});
