import { Kysely, SqliteDialect } from 'kysely';
import { join } from 'node:path';
import { BoundedMap } from '@app/kernel';
import { closeDatabase, GroupedWriter, migrate, openDatabase, type Database } from '@app/databases/sqlite';
import type { BulkLoad, BulkStatement, ReadModelDatabase } from './database';
import { REGISTRY_SCHEMA, type ReadModelTables } from './tables';

type Parameter = null | number | bigint | string | Uint8Array;

interface Prepared {
  readonly statement: ReturnType<Database['prepare']>;
  readonly givesRows: boolean;
}

export const kyselyDialect = (db: Database): SqliteDialect => {
  // Each rebuild creates tables with new names, so old statements must leave the cache.
  const known = new BoundedMap<string, Prepared>(STATEMENTS_MAX);
  const prepare = (sql: string): Prepared => {
    const found = known.get(sql);
    if (found !== undefined) return found;
    const statement = db.prepare(sql);
    const prepared = { statement, givesRows: statement.columns().length > 0 };
    known.set(sql, prepared);
    return prepared;
  };
  return new SqliteDialect({
    database: {
      close: () => db.close(),
      prepare: (sql) => {
        const { statement, givesRows } = prepare(sql);
        return {
          reader: givesRows,
          all: (parameters) => statement.all(...(parameters as Parameter[])) as unknown[],
          run: (parameters) => statement.run(...(parameters as Parameter[])),
          iterate: (parameters) => statement.iterate(...(parameters as Parameter[])) as IterableIterator<unknown>,
        };
      },
    },
  });
};

const STATEMENTS_MAX = 500;

/** A row takes about 2.5 KB, which would waste a third of a 4 KB page. */
const PAGE_BYTES = 8_192;
/** 64 MiB: pages that change several times in a short time then reach the file only once. */
const AUTO_CHECKPOINT_PAGES = 8_192;
const CACHE_MIB = 16;

/**
 * @param cacheMiB for a process that scans many rows; default is SQLite's 2 MiB
 * @throws Error if there is no file
 */
export const sqliteReads = (path: string, cacheMiB?: number): Pick<ReadModelDatabase, 'reads' | 'close'> => {
  const reader = openDatabase(path, { readOnly: true, ...(cacheMiB !== undefined && { cacheMiB }) });
  const reads = new Kysely<ReadModelTables>({ dialect: kyselyDialect(reader) });
  const close = async (): Promise<void> => {
    await reads.destroy();
    if (reader.isOpen) reader.close();
  };
  return { reads, close };
};

/** Limits a transaction, and with it the wait of another writer of the file. */
const GROUP_STATEMENTS_MAX = 32;

const sqliteBulkLoad = async (path: string): Promise<BulkLoad> => {
  const writer = await GroupedWriter.open<BulkStatement, null>({
    path,
    workerFile: join(__dirname, 'bulk-load.worker'),
    callerFile: __filename,
    groupJobsMax: GROUP_STATEMENTS_MAX,
    // A crash fails the whole rebuild, so single commits need not be durable (architecture, "Stores").
    durability: 'rebuildable',
    autoCheckpointPages: AUTO_CHECKPOINT_PAGES,
  });
  let writes: Promise<null>[] = [];
  return {
    write: (statement) => {
      const done = writer.submit(statement);
      // `drained` reports the error; without a handler it would be an unhandled rejection until then.
      done.catch(() => undefined);
      writes.push(done);
    },
    drained: async () => {
      const all = writes;
      writes = [];
      await Promise.all(all);
    },
    close: () => writer.close(),
  };
};

/**
 * Commits lost in a power failure are repaired from the checkpoint (architecture, "Stores").
 * @param path of the file; a missing folder is created
 */
export const sqliteReadModelDatabase = (path: string): ReadModelDatabase => {
  const writer = openDatabase(path, {
    durability: 'rebuildable',
    pageBytes: PAGE_BYTES,
    autoCheckpointPages: AUTO_CHECKPOINT_PAGES,
    cacheMiB: CACHE_MIB,
  });
  migrate(
    writer,
    path,
    REGISTRY_SCHEMA.map((step) => (db) => db.exec(step)),
  );
  const writes = new Kysely<ReadModelTables>({ dialect: kyselyDialect(writer) });
  const { reads, close } = sqliteReads(path);
  return {
    writes,
    registry: writes,
    reads,
    isShared: false,
    bulkLoad: () => sqliteBulkLoad(path),
    close: async () => {
      await close();
      await writes.connection().execute(() => Promise.resolve(closeDatabase(writer)));
    },
  };
};
