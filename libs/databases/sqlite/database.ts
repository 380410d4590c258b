import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { mkdirSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

export type Database = DatabaseSyncInstance;

export interface OpenOptions {
  /** A reader never blocks the writer (WAL) and refuses every write. */
  readonly readOnly?: boolean;
  /**
   * `every-commit` (the default): a commit survives a power loss. `rebuildable`: the newest commits may be lost; only for projections that
   * store their checkpoint in the same transaction.
   */
  readonly durability?: 'every-commit' | 'rebuildable';
  /** Overwrites deleted content with zeros, for shredding (safety, section 5.4). */
  readonly secureDelete?: boolean;
  /** Page size of a new file. A row of more than half a page wastes the rest. SQLite's default is 4,096. */
  readonly pageBytes?: 4_096 | 8_192 | 16_384;
  readonly autoCheckpointPages?: number;
  /** Page cache. SQLite's default of 2 MiB is too small for indexes of random keys. */
  readonly cacheMiB?: number;
  readonly pagesMax?: number;
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 5_000;
const SYNCHRONOUS_FULL = 2;
const SQLITE_FULL = 13;
const KIB_PER_MIB = 1_024;

const pragma = (db: Database, name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>)[0];

/** SQLite's messages omit the file. The error object stays the same, because callers read its code. */
const naming = <Result>(path: string, act: () => Result): Result => {
  try {
    return act();
  } catch (error) {
    const failure = error as Error;
    if (!failure.message.includes(path)) failure.message = `${path}: ${failure.message}`;
    throw error;
  }
};

/**
 * Sets WAL and `synchronous` on every open, because the file stores only the first.
 * @throws Error with the file's path and SQLite's `errcode`
 */
export const openDatabase = (path: string, options: OpenOptions = {}): Database => {
  const readOnly = options.readOnly ?? false;
  if (!readOnly) mkdirSync(dirname(path), { recursive: true });
  const db = naming(path, () => new DatabaseSync(path, { readOnly, timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS }));
  try {
    return naming(path, () => {
      if (options.cacheMiB !== undefined) db.exec(`PRAGMA cache_size=-${options.cacheMiB * KIB_PER_MIB}`);
      return readOnly ? db : asWanted(db, path, options);
    });
  } catch (error) {
    db.close();
    throw error;
  }
};

const asWanted = (db: Database, path: string, options: OpenOptions): Database => {
  // The page size must be set before the first table and before WAL, or it has no effect.
  if (options.pageBytes !== undefined) db.exec(`PRAGMA page_size=${options.pageBytes}`);
  const isRebuildable = options.durability === 'rebuildable';
  db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=${isRebuildable ? 'NORMAL' : 'FULL'}; PRAGMA foreign_keys=ON`);
  if (options.autoCheckpointPages !== undefined) db.exec(`PRAGMA wal_autocheckpoint=${options.autoCheckpointPages}`);
  if (options.pagesMax !== undefined) db.exec(`PRAGMA max_page_count=${options.pagesMax}`);
  if (options.secureDelete === true) db.exec('PRAGMA secure_delete=ON');
  if (!isRebuildable) assertDurable(db, path);
  return db;
};

/** Checks that commits are durable, because SQLite ignores a setting that it cannot apply. */
export const assertDurable = (db: Database, path: string): void => {
  const mode = pragma(db, 'journal_mode');
  const synchronous = Number(pragma(db, 'synchronous'));
  if (mode !== 'wal' || synchronous !== SYNCHRONOUS_FULL) {
    throw new Error(`${path}: journal_mode is ${String(mode)} and synchronous ${synchronous}; a commit would not survive a power loss`);
  }
};

/**
 * Checkpoints first, because `close` keeps the write-ahead log while a statement is open. On a full disk both files stay, and the next open
 * reads both.
 * @throws Error on other disk failures
 */
export const closeDatabase = (db: Database): void => {
  if (!db.isOpen) return;
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) !== SQLITE_FULL) throw error;
  }
  db.close();
};

export type Migration = (db: Database) => void;

/**
 * Migrates to the newest schema, one transaction per step. `user_version` is the number of completed steps.
 * @throws Error with the file's path, also if a newer release wrote the file
 */
export const migrate = (db: Database, path: string, migrations: readonly Migration[]): void =>
  naming(path, () => migrateTo(db, path, migrations));

const migrateTo = (db: Database, path: string, migrations: readonly Migration[]): void => {
  const known = migrations.length;
  const done = Number(pragma(db, 'user_version'));
  if (done > known) throw new Error(`${path}: schema ${done} is newer than this release knows (${known}); start the newer release`);
  for (const [index, migration] of migrations.entries()) {
    db.exec('BEGIN IMMEDIATE');
    try {
      // Read again under the lock, because another process may have migrated.
      if (Number(pragma(db, 'user_version')) <= index) {
        migration(db);
        db.exec(`PRAGMA user_version=${index + 1}`);
      }
      db.exec('COMMIT');
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  }
};

type DatabaseThreadOptions = Omit<WorkerOptions, 'execArgv' | 'eval'>;

/**
 * Starts a worker thread that opens a database file, from TypeScript under test and from JavaScript when built.
 * @param file `join(__dirname, '../../sqlite/x.worker')`, without extension
 * @param callerFile `__filename` of the caller; its extension selects between the two
 */
export const startDatabaseThread = (file: string, callerFile: string, options: DatabaseThreadOptions): Worker => {
  const ending = extname(callerFile);
  return new Worker(file + ending, { ...options, execArgv: ending === '.ts' ? ['--require', require.resolve('tsx/cjs')] : [] });
};
