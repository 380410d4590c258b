import { closeDatabase, openDatabase } from '@app/sqlite';
import type { Instant } from '@app/kernel';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface WriterLock {
  release(): void;
}

/** Another process writes this log; a second writer would number its events a second time (safety, F45). */
export class WriterLocked extends Error {
  override readonly name = 'WriterLocked';
}

const SQLITE_BUSY = 5;
const isBusy = (error: unknown): boolean => {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === SQLITE_BUSY;
};

const holderOf = (textPath: string): string => {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(textPath, 'utf8')) as { pid: number; startedAt: string };
    return `process ${pid} writes it since ${startedAt}`;
  } catch {
    return 'another process writes it';
  }
};

/**
 * Two files beside the log: `<log>.lock` tells people who holds it, `<log>.lock-held` is a database with an open write transaction, which the
 * operating system ends with the process, however that ends; so a lock is never stale, and a process id used again deceives nobody.
 * @throws WriterLocked
 */
export const takeWriterLock = (path: string, startedAt: Instant): WriterLock => {
  const textPath = `${path}.lock`;
  mkdirSync(dirname(path), { recursive: true });
  let held;
  try {
    held = openDatabase(`${path}.lock-held`, { busyTimeoutMs: 0 });
    held.exec('BEGIN IMMEDIATE');
  } catch (error) {
    held?.close();
    if (isBusy(error)) throw new WriterLocked(`${path} is in use: ${holderOf(textPath)}. An event log has one writer.`);
    throw error;
  }
  const db = held;
  const draft = `${textPath}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify({ pid: process.pid, startedAt: new Date(startedAt).toISOString() })}\n`);
  renameSync(draft, textPath);
  return {
    release: () => {
      if (!db.isOpen) return;
      rmSync(textPath, { force: true });
      db.exec('ROLLBACK');
      closeDatabase(db);
    },
  };
};
