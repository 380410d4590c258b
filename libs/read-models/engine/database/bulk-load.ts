import { CompiledQuery, Kysely } from 'kysely';
import { join } from 'node:path';
import { closeDatabase, kyselyDialect, openDatabase } from '@app/databases/postgres';
import { GroupedWriter } from '@app/databases/sqlite';

export interface BulkStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Writes concurrently with the calling thread, in the order of the calls; writes may be lost until `drained` resolves. */
export interface BulkLoad {
  write(statement: BulkStatement): void;
  /** Resolves when all writes are stored. @throws Error where one failed */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/** Bounds a transaction, and with it the wait of another writer of the file. */
const GROUP_STATEMENTS_MAX = 32;
/** 64 MiB: index pages that are written several times then reach the file only once. */
const AUTO_CHECKPOINT_PAGES = 8_192;

export const sqliteBulkLoad = async (path: string): Promise<BulkLoad> => {
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

/** Uses its own connection, so that the server runs statements while the next are gathered. No commit waits for the disk, since a crash fails the rebuild. */
export const postgresBulkLoad = async (url: string): Promise<BulkLoad> => {
  const database = await openDatabase(url, { name: 'read model: rebuild', connectionsMax: 1, durability: 'rebuildable' });
  const db = new Kysely<object>({ dialect: kyselyDialect(database) });
  let last: Promise<unknown> = Promise.resolve();
  return {
    write: ({ sql, parameters }) => {
      last = last.then(() => db.executeQuery(CompiledQuery.raw(sql, [...parameters])));
      last.catch(() => undefined);
    },
    drained: async () => void (await last),
    close: () => closeDatabase(database),
  };
};
