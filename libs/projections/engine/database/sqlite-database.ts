import { closeDatabase, migrate, openDatabase } from '@app/sqlite';
import { kyselyDialect } from './kysely-dialect';
import { Kysely } from 'kysely';
import { sqliteBulkLoad } from '../rebuild/bulk-load';
import type { ReadModelDatabase } from './database';
import { REGISTER_SCHEMA } from './register-schema';
import type { ReadModelTables } from './tables';

/** A row takes about 2.5 KB: of 4 KB pages each would waste a third. */
const PAGE_BYTES = 8_192;
/** 64 MiB: an order's row and the ends of the indexes are written several times before they rest, and reach the file once. */
const AUTO_CHECKPOINT_PAGES = 8_192;
/** The indexes of some 100,000 orders, whose keys come in no order. */
const CACHE_MIB = 64;

/** @throws Error where there is no file */
export const sqliteReads = (path: string): Pick<ReadModelDatabase, 'reads' | 'close'> => {
  const reader = openDatabase(path, { readOnly: true });
  const reads = new Kysely<ReadModelTables>({ dialect: kyselyDialect(reader) });
  const close = async (): Promise<void> => {
    await reads.destroy();
    if (reader.isOpen) reader.close();
  };
  return { reads, close };
};

/** @param path of the file; its folder is made. What is lost with the power is folded again from the checkpoint (architecture, "Stores"). */
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
    REGISTER_SCHEMA.map((step) => (db) => db.exec(step)),
  );
  const writes = new Kysely<ReadModelTables>({ dialect: kyselyDialect(writer) });
  const { reads, close } = sqliteReads(path);
  return {
    writes,
    register: writes,
    reads,
    isShared: false,
    bulkLoad: () => sqliteBulkLoad(path),
    close: async () => {
      await close();
      // Waits for a transaction that is under way: the connection is one.
      await writes.connection().execute(() => Promise.resolve(closeDatabase(writer)));
    },
  };
};
