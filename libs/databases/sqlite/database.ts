import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { mkdirSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

export type Database = DatabaseSyncInstance;

interface OpenOptions {
  /** A reader never blocks the writer (WAL) and refuses every write. */
  readonly readOnly?: boolean;
  /**
   * `every-commit` (the default): a commit survives a power loss. `rebuildable`: the newest commits may be lost with the power, whole and
   * in order; for what is folded from a log and keeps its checkpoint in the same transaction.
   */
  readonly durability?: 'every-commit' | 'rebuildable';
  /** Overwrites deleted content with zeros, for shredding (safety, section 5.4). */
  readonly secureDelete?: boolean;
  /** Page size of a new file; a row of more than half a page wastes the rest of it. SQLite's default is 4,096. */
  readonly pageBytes?: 4_096 | 8_192 | 16_384;
  /** Size of the write-ahead log at which a commit checkpoints it into the file. SQLite's default is 1,000. */
  readonly autoCheckpointPages?: number;
  /** Memory for pages of the file. SQLite's own choice is 2 MiB, with which indexes of random keys are read from the disk's cache again and again. */
  readonly cacheMiB?: number;
  /** For tests: maximum of pages of the file, as on a full disk. */
  readonly pagesMax?: number;
  /** Time limit for waiting on another process's lock. */
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 5_000;
const SYNCHRONOUS_FULL = 2;
const SQLITE_FULL = 13;
const KIB_PER_MIB = 1_024;

const pragma = (db: Database, name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>)[0];

/** SQLite says what is wrong with a file, and not with which. The error stays the same, for its code is looked at. */
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
 * Sets WAL and `synchronous` on every open, because the file remembers the first but not the second.
 * @throws Error that names the file, with SQLite's `errcode` where it has one
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
 * Leaves one file: it checkpoints the write-ahead log first, because `close` keeps it while a statement is alive. A full disk has no room for that, so
 * both files stay with every commit, and the next open reads both. @throws Error where the disk fails otherwise
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
 * Migrates a file to the newest schema, one transaction per step; `user_version` counts the steps done.
 * @throws Error that names the file; also where it was written by a newer release.
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
      // Read again under the lock, because another process may have migrated meanwhile.
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

/** What a caller may set; how the thread is started is decided here. */
type DatabaseThreadOptions = Omit<WorkerOptions, 'execArgv' | 'eval'>;

/**
 * Starts a thread that has a database file open for this one, from a source that is TypeScript under test and JavaScript when it is built.
 * @param file `join(__dirname, '../../sqlite/x.worker')`, without its ending
 * @param callerFile `__filename` of the caller, whose ending decides which of the two it is
 */
export const startDatabaseThread = (file: string, callerFile: string, options: DatabaseThreadOptions): Worker => {
  const ending = extname(callerFile);
  return new Worker(file + ending, { ...options, execArgv: ending === '.ts' ? ['--require', require.resolve('tsx/cjs')] : [] });
};
