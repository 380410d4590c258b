import { mkdirSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { closeDatabase, openDatabase } from '@app/databases/sqlite';
import type { Instant } from '@app/kernel';

export interface WriterLock {
  release(): void;
}

/** Another process writes this log. A second writer would reuse its positions and revisions (safety, F45). */
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

const LINKS_MAX = 40;

const linkedTo = (path: string): string | undefined => {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return undefined;
  }
};

/** Canonical path, because writers that use different links must compete for one lock. A missing folder is created. */
const realPathOf = (path: string): string => {
  let file = resolve(path);
  for (let links = 0; links < LINKS_MAX; links++) {
    mkdirSync(dirname(file), { recursive: true });
    file = join(realpathSync(dirname(file)), basename(file));
    const next = linkedTo(file);
    if (next === undefined) return file;
    file = next;
  }
  throw new Error(`${path} is a link that leads nowhere`);
};

/**
 * `<log>.lock` names the holder for people. `<log>.lock-held` has an open write transaction, which the operating system ends with the
 * process, so the lock is never stale.
 * @throws WriterLocked
 */
export const takeWriterLock = (named: string, startedAt: Instant): WriterLock => {
  const path = realPathOf(named);
  const textPath = `${path}.lock`;
  let held;
  try {
    held = openDatabase(`${path}.lock-held`, { busyTimeoutMs: 0 });
    held.exec('BEGIN IMMEDIATE');
  } catch (error) {
    held?.close();
    if (isBusy(error)) throw new WriterLocked(`${named} is in use: ${holderOf(textPath)}. An event log has one writer.`);
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
