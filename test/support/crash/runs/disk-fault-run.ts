import { execFileSync } from 'node:child_process';
import { CrashWorld, type Template } from './crash-world';
import { LOAD } from '../clients/load';

const LIMIT_BYTES_MAX = 400_000;
const WAVES_MAX = 20;
/** The exit code of `main` where a store is broken. */
const BROKEN_EXIT_CODE = 1;

/** Whether the limits of a running process can be changed from outside: on Linux, where util-linux is installed. */
export const canLimitFiles = ((): boolean => {
  try {
    execFileSync('prlimit', ['--fsize'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/**
 * Limits the size of the running service's files to a random size: the next write beyond it fails with EFBIG, which SQLite reports as an I/O error.
 * The process must end without another answer; the next one, without the limit, must find everything that was acknowledged.
 * @returns the faults found (safety, F25)
 */
export const failDisk = async (template: Template, times: number, seed: number): Promise<string[]> => {
  const world = await CrashWorld.open(template, seed);
  try {
    const faults: string[] = [];
    for (let time = 1; time <= times; time++) {
      if (time > 1) await world.restart();
      const limitBytes = world.chance(LIMIT_BYTES_MAX);
      execFileSync('prlimit', ['--pid', String(world.service.pid), `--fsize=${limitBytes}:unlimited`]);
      await world.clients.repeatUnanswered();
      for (let wave = 1; world.isAlive && wave <= WAVES_MAX; wave++) await world.clients.placeAll(LOAD, `disk fault ${time} wave ${wave}`);
      const { code, signal } = await world.death(`files of at most ${limitBytes} bytes`);
      if (code !== BROKEN_EXIT_CODE) faults.push(`disk fault ${time}: the service ended with code ${code}, signal ${signal}`);
    }
    await world.restart();
    await world.converge();
    return [...faults, ...(await world.faults())];
  } finally {
    await world.dispose();
  }
};
