import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const GIBIBYTE = 1_024 ** 3;
const ROOM_BYTES_MIN = 4 * GIBIBYTE;
/** The database server must not run as root, so another user must be able to enter. */
const OPEN_TO_ENTER = 0o755;

const PREFIX = 'orchestrator-tests-';
const OWNED = /^orchestrator-tests-(\d+)-/;

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
};

/** Memory of killed runs is not freed by any other means. */
const removeLeftOvers = (): void => {
  for (const name of readdirSync(MEMORY)) {
    const pid = OWNED.exec(name)?.[1];
    if (pid !== undefined && isGone(Number(pid))) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
};

const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES_MIN && freemem() >= 2 * ROOM_BYTES_MIN;
  } catch {
    return false;
  }
};

/**
 * In memory a sync is free. A killed process leaves the same files on disk or in memory; no killing test covers a loss of power.
 * @returns a function that removes them
 */
export const keepFilesInMemory = (): (() => void) => {
  if (!hasRoom()) return () => undefined;
  removeLeftOvers();
  const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
  chmodSync(folder, OPEN_TO_ENTER);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
};
