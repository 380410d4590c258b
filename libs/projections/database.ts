import { closeDatabase, openDatabase } from '@app/sqlite';
import { Kysely } from 'kysely';
import { sqliteBulkLoad, type BulkLoad } from './bulk-load';
import { kyselyDialect } from './kysely-dialect';
import type { Db, ReadModelTables } from './tables';

/** Where the read models lie. Questions have a connection of their own, so that a status never waits for a batch that is being written. */
export interface ReadModelDatabase {
  readonly writes: Db;
  readonly reads: Db;
  /** A thread of its own for what a rebuild writes; absent where writing is not this process's work anyway. */
  readonly bulkLoad?: () => Promise<BulkLoad>;
  close(): Promise<void>;
}

/** A row takes about 2.5 KB: of 4 KB pages each would waste a third. */
const PAGE_BYTES = 8_192;

/** @param path of the file; its folder is made. What is lost with the power is folded again from the checkpoint (architecture, "Stores"). */
export const sqliteReadModelDatabase = (path: string): ReadModelDatabase => {
  const writer = openDatabase(path, { durability: 'rebuildable', pageBytes: PAGE_BYTES });
  const reader = openDatabase(path, { readOnly: true });
  const writes = new Kysely<ReadModelTables>({ dialect: kyselyDialect(writer) });
  const reads = new Kysely<ReadModelTables>({ dialect: kyselyDialect(reader) });
  return {
    writes,
    reads,
    bulkLoad: () => sqliteBulkLoad(path),
    close: async () => {
      await reads.destroy();
      if (reader.isOpen) reader.close();
      // Waits for a transaction that is under way: the connection is one.
      await writes.connection().execute(() => Promise.resolve(closeDatabase(writer)));
    },
  };
};
