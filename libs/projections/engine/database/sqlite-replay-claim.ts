import { closeDatabase, openDatabase } from '@app/sqlite';
import type { ReplayClaim } from './database';

const SQLITE_BUSY = 5;
const CODE = 0xff;
const isBusy = (error: unknown): boolean => (((error as { readonly errcode?: number }).errcode ?? 0) & CODE) === SQLITE_BUSY;

/** An open transaction in a file beside the read models, which the operating system ends with the process: no claim is ever stale. */
export const sqliteReplayClaim = (path: string): ReplayClaim | undefined => {
  const held = openDatabase(`${path}.replay-held`, { busyTimeoutMs: 0 });
  try {
    held.exec('BEGIN IMMEDIATE');
  } catch (error) {
    closeDatabase(held);
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    get isHeld() {
      return held.isOpen;
    },
    release: () => {
      if (held.isOpen) {
        held.exec('ROLLBACK');
        closeDatabase(held);
      }
      return Promise.resolve();
    },
  };
};
