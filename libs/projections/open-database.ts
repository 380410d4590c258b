import type { ReadModelDatabase, ReadModelPlace } from './database';
import { postgresReadModelDatabase } from './postgres-database';
import { sqliteReadModelDatabase } from './sqlite-database';

/** Brings the register's tables to this release. @throws Error with one line that says why not, also where a newer release made them */
export const openReadModelDatabase = async (place: ReadModelPlace): Promise<ReadModelDatabase> =>
  'path' in place ? sqliteReadModelDatabase(place.path) : postgresReadModelDatabase(place);
