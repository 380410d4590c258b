import { execFileSync } from 'node:child_process';
import { CrashWorld, type Template } from './crash-world';
import { LOAD } from '../clients/load';

const LIMIT_BYTES_MAX = 400_000;
const WAVES_MAX = 20;
const BROKEN_EXIT_CODE = 1;

/** Needs Linux with util-linux, which can change the limits of a running process. */
export const canLimitFiles = ((): boolean => {
  try {
    execFileSync('prlimit', ['--fsize'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/**
 * Limits file sizes: the next write fails with EFBIG and the process must end without another answer.
 * @returns the faults found after a restart without the limit (safety, F25)
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
