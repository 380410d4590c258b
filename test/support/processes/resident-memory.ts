import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until';

const BYTES_PER_MIB = 1_048_576;
const COLLECT_TIMEOUT_MS = 60_000;

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Resident memory in MiB after a garbage collection. */
export const heldMib = async (pid: number): Promise<number> => {
  const path = join(__dirname, '../../../dist', `memory-of-${pid}.txt`);
  rmSync(path, { force: true });
  process.kill(pid, 'SIGUSR2');
  const bytes = await until(() => read(path), { what: `the memory of process ${pid}`, timeoutMs: COLLECT_TIMEOUT_MS });
  rmSync(path);
  return Number(bytes) / BYTES_PER_MIB;
};
