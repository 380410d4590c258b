export { AdvisoryLock } from './advisory-lock';
export {
  ask,
  closeDatabase,
  type Database,
  inTransaction,
  openDatabase,
  type OpenOptions,
  asUnusable,
  DatabaseUnusable,
  openPools,
  type PoolFigures,
} from './database';
export { kyselyDialect, kyselyDialects } from './kysely';
export { migrate, type Migration } from './migrate';
