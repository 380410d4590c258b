import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const GIBIBYTE = 1_024 ** 3;
/** What the files of a run need at most, several times over. */
const ROOM_BYTES_MIN = 4 * GIBIBYTE;
/** A database server that must not run as root enters it under another name. */
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

/** Of runs that were killed: memory is not swept by anybody else. */
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
 * Temporary files of a run lie in memory, where there is room: every commit is synced as ever, and a sync costs nothing there. What a killed process
 * leaves is the same on either; what a machine without power leaves, no test that kills processes can say. @returns takes them away
 */
export const keepFilesInMemory = (): (() => void) => {
  if (!hasRoom()) return () => undefined;
  removeLeftOvers();
  const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
  chmodSync(folder, OPEN_TO_ENTER);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
};
