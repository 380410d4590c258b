import { Kysely, SqliteDialect } from 'kysely';
import { BoundedMap } from '@app/kernel';
import { closeDatabase, migrate, openDatabase, type Database } from '@app/databases/sqlite';
import type { ReadModelDatabase } from './database';
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
    close: async () => {
      await close();
      await writes.connection().execute(() => Promise.resolve(closeDatabase(writer)));
    },
  };
};
