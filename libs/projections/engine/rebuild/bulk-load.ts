import { closeDatabase, kyselyDialect, openDatabase } from '@app/postgres';
import { GroupedWriter } from '@app/sqlite';
import { CompiledQuery, Kysely } from 'kysely';
import { join } from 'node:path';

export interface BulkStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Writes beside the thread that asks for it, in the order of asking; what was asked may be lost until `drained` resolves. */
export interface BulkLoad {
  write(statement: BulkStatement): void;
  /** All that was asked is stored. @throws Error where some of it is not */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/** Statements of one transaction: the longest that another writer of the file has to wait for. */
const GROUP_STATEMENTS_MAX = 32;
/** 64 MiB: index pages are written several times before they rest, and reach the file once. */
const AUTO_CHECKPOINT_PAGES = 8_192;

export const sqliteBulkLoad = async (path: string): Promise<BulkLoad> => {
  const writer = await GroupedWriter.open<BulkStatement, null>({
    path,
    workerFile: join(__dirname, 'bulk-load.worker'),
    callerFile: __filename,
    groupJobsMax: GROUP_STATEMENTS_MAX,
    // A crash fails the rebuild as a whole, and what is lost with the power is built again (architecture, "Stores").
    durability: 'rebuildable',
    autoCheckpointPages: AUTO_CHECKPOINT_PAGES,
  });
  let asked: Promise<null>[] = [];
  return {
    write: (statement) => {
      const done = writer.submit(statement);
      // Told by `drained`, and not as an unhandled rejection before somebody asks.
      done.catch(() => undefined);
      asked.push(done);
    },
    drained: async () => {
      const all = asked;
      asked = [];
      await Promise.all(all);
    },
    close: () => writer.close(),
  };
};

/** A connection of its own, whose statements the server runs while the next are gathered; none waits for the disk, since a crash fails the rebuild. */
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
