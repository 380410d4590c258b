import type { ReadModelDatabase, ReadModelAddress } from './database';
import { postgresReadModelDatabase, postgresReads } from './postgres-database';
import { sqliteReadModelDatabase, sqliteReads } from './sqlite-database';

/** Opens the database and migrates the registry's tables. @throws Error with the reason in one line, also where a newer release created them */
export const openReadModelDatabase = async (place: ReadModelAddress): Promise<ReadModelDatabase> =>
  'path' in place ? sqliteReadModelDatabase(place.path) : postgresReadModelDatabase(place);

/** Holds the inner pages of the indexes of some millions of orders; only what is read is taken. */
const READER_CACHE_MIB = 64;

/** Opens the database for queries only. @throws Error with the reason in one line */
export const openReads = async (place: ReadModelAddress): Promise<Pick<ReadModelDatabase, 'reads' | 'readsBy' | 'close'>> =>
  'path' in place ? sqliteReads(place.path, READER_CACHE_MIB) : postgresReads(place);
