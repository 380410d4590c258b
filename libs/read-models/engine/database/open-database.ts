import { CompiledQuery, Kysely } from 'kysely';
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
} from '@app/databases/postgres';
import type { Partition } from '../projecting/partitions';
import type { BulkLoad, PostgresAddress, ReadModelDatabase, ReadModelAddress } from './database';
import { REGISTRY_SCHEMA, type ReadModelTables } from './tables';
import { sqliteReadModelDatabase, sqliteReads } from './sqlite-database';

/** A process needs at most 11 connections, one more for a rebuild, and one session for the ownership. */
const WRITES_MAX = 3;
const REGISTRY_MAX = 2;
const READS_MAX = 6;
const REGISTRY_STATEMENT_TIMEOUT_MS = 3_600_000;
const REGISTRY_LOCK_TIMEOUT_MS = 60_000;
const READS: OpenOptions = {
  name: 'read model: reads',
  connectionsMax: READS_MAX,
  connectTimeoutMs: 3_000,
  statementTimeoutMs: 5_000,
  answerGraceMs: 1_000,
};
const SCHEMA = 'read_model';
const OWNERSHIP = 'read model';
const ownershipOf = ({ number, of }: Partition): string => (of === 1 ? OWNERSHIP : `${OWNERSHIP} ${number}/${of}`);

const tables = (db: Database): Kysely<ReadModelTables> => new Kysely<ReadModelTables>({ dialect: kyselyDialect(db) });

const queries = (db: Database): Pick<ReadModelDatabase, 'reads' | 'readsBy'> => {
  const dialectOf = kyselyDialects(db);
  const tablesBy = (deadline?: Deadline): Kysely<ReadModelTables> => new Kysely<ReadModelTables>({ dialect: dialectOf(deadline) });
  return { reads: tablesBy(), readsBy: tablesBy };
};

/**
 * Uses a separate connection, so that rows are gathered while statements run. Commits do not wait for the disk, because a crash fails the
 * rebuild anyway.
 */
const postgresBulkLoad = async (url: string): Promise<BulkLoad> => {
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

const postgresReads = async ({ url }: Pick<PostgresAddress, 'url'>): Promise<Pick<ReadModelDatabase, 'reads' | 'readsBy' | 'close'>> => {
  const db = await openDatabase(url.reveal(), READS);
  return { ...queries(db), close: () => closeDatabase(db) };
};

/**
 * Shared by all processes. Batch commits need not reach the disk at once: a crash loses their checkpoints too, and the events are applied
 * again.
 * @throws DatabaseUnusable with one line that says what is wrong
 */
export const postgresReadModelDatabase = async ({ url, scheduler }: PostgresAddress): Promise<ReadModelDatabase> => {
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
    const registry = await open({
      name: 'read model: register',
      connectionsMax: REGISTRY_MAX,
      statementTimeoutMs: REGISTRY_STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: REGISTRY_LOCK_TIMEOUT_MS,
    });
    await migrate(registry, SCHEMA, REGISTRY_SCHEMA);
    const writes = await open({ name: 'read model: writes', connectionsMax: WRITES_MAX, durability: 'rebuildable' });
    const reads = await open(READS);
    return {
      writes: tables(writes),
      registry: tables(registry),
      ...queries(reads),
      isShared: true,
      bulkLoad: () => postgresBulkLoad(address),
      ownership: (events, partition) => new AdvisoryLock({ ...events, url: address, name: ownershipOf(partition), scheduler }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/**
 * Migrates the registry's tables.
 * @throws Error with the reason in one line, also if a newer release created them
 */
export const openReadModelDatabase = async (place: ReadModelAddress): Promise<ReadModelDatabase> =>
  'path' in place ? sqliteReadModelDatabase(place.path) : postgresReadModelDatabase(place);

const READER_CACHE_MIB = 64;

/**
 * Opens the database for queries only.
 * @throws Error with the reason in one line
 */
export const openReads = async (place: ReadModelAddress): Promise<Pick<ReadModelDatabase, 'reads' | 'readsBy' | 'close'>> =>
  'path' in place ? sqliteReads(place.path, READER_CACHE_MIB) : postgresReads(place);
