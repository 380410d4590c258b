import type { Deadline } from '@app/kernel';
import {
  AdvisoryLock,
  closeDatabase,
  kyselyDialect,
  kyselyDialects,
  migrate,
  openDatabase,
  type Database,
  type OpenOptions,
} from '@app/postgres';
import { Kysely } from 'kysely';
import { postgresBulkLoad } from '../rebuild/bulk-load';
import type { PostgresPlace, ReadModelDatabase } from './database';
import { REGISTER_SCHEMA } from './register-schema';
import type { ReadModelTables } from './tables';

/** Connections of one process at most: 11, one more for a rebuild, and the session of the ownership. */
const WRITES_MAX = 3;
const REGISTER_MAX = 2;
const READS_MAX = 6;
/** An index over many rows. */
const REGISTER_STATEMENT_TIMEOUT_MS = 3_600_000;
const REGISTER_LOCK_TIMEOUT_MS = 60_000;
/** Somebody waits for the answer. */
const READS: OpenOptions = {
  name: 'read model: reads',
  connectionsMax: READS_MAX,
  connectTimeoutMs: 3_000,
  statementTimeoutMs: 5_000,
  answerGraceMs: 1_000,
};
const SCHEMA = 'read_model';
const OWNERSHIP = 'read model';

const tables = (db: Database): Kysely<ReadModelTables> => new Kysely<ReadModelTables>({ dialect: kyselyDialect(db) });

const questions = (db: Database): Pick<ReadModelDatabase, 'reads' | 'readsBy'> => {
  const dialectOf = kyselyDialects(db);
  const tablesBy = (deadline?: Deadline): Kysely<ReadModelTables> => new Kysely<ReadModelTables>({ dialect: dialectOf(deadline) });
  return { reads: tablesBy(), readsBy: tablesBy };
};

/** @throws DatabaseUnusable */
export const postgresReads = async ({
  url,
}: Pick<PostgresPlace, 'url'>): Promise<Pick<ReadModelDatabase, 'reads' | 'readsBy' | 'close'>> => {
  const db = await openDatabase(url.reveal(), READS);
  return { ...questions(db), close: () => closeDatabase(db) };
};

/**
 * One database for all processes. Commits of batches need not reach the disk one by one: what a crash of the server takes is folded again from the
 * checkpoint, which went with it.
 * @throws DatabaseUnusable with one line that says what is wrong
 */
export const postgresReadModelDatabase = async ({ url, scheduler }: PostgresPlace): Promise<ReadModelDatabase> => {
  const address = url.reveal();
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  const open = async (options: OpenOptions): Promise<Database> => {
    const db = await openDatabase(address, options);
    opened.push(() => closeDatabase(db));
    return db;
  };
  try {
    const register = await open({
      name: 'read model: register',
      connectionsMax: REGISTER_MAX,
      statementTimeoutMs: REGISTER_STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: REGISTER_LOCK_TIMEOUT_MS,
    });
    await migrate(register, SCHEMA, REGISTER_SCHEMA);
    const writes = await open({ name: 'read model: writes', connectionsMax: WRITES_MAX, durability: 'rebuildable' });
    const reads = await open(READS);
    return {
      writes: tables(writes),
      register: tables(register),
      ...questions(reads),
      isShared: true,
      bulkLoad: () => postgresBulkLoad(address),
      ownership: (events) => new AdvisoryLock({ ...events, url: address, name: OWNERSHIP, scheduler }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
