export { AdvisoryLock } from './advisory-lock';
export { ask, closeDatabase, type Database, inTransaction, openDatabase, type OpenOptions } from './database';
export { asUnusable, DatabaseUnusable } from './database-unusable';
export { kyselyDialect, kyselyDialects } from './kysely';
export { migrate, type Migration } from './migrate';
export { openPools, type PoolFigures } from './open-pools';
