import type { ReadModelDatabase, ReadModelPlace } from './database';
import { postgresReadModelDatabase, postgresReads } from './postgres-database';
import { sqliteReadModelDatabase, sqliteReads } from './sqlite-database';

/** Brings the register's tables to this release. @throws Error with one line that says why not, also where a newer release made them */
export const openReadModelDatabase = async (place: ReadModelPlace): Promise<ReadModelDatabase> =>
  'path' in place ? sqliteReadModelDatabase(place.path) : postgresReadModelDatabase(place);

/** For questions alone. @throws Error with one line that says why it cannot be read */
export const openReads = async (place: ReadModelPlace): Promise<Pick<ReadModelDatabase, 'reads' | 'readsBy' | 'close'>> =>
  'path' in place ? sqliteReads(place.path) : postgresReads(place);
