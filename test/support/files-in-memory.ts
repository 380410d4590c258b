import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const GIBIBYTE = 1_024 ** 3;
/** What the files of a run need at most, several times over. */
const ROOM_BYTES_MIN = 4 * GIBIBYTE;
/** A database server that must not run as root enters it under another name. */
const OPEN_TO_ENTER = 0o755;

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
  const folder = mkdtempSync(join(MEMORY, 'orchestrator-tests-'));
  chmodSync(folder, OPEN_TO_ENTER);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
};
