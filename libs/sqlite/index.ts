export * from './database';
export * from './grouped-writer';
export * from './kysely';
export * from './serve-grouped-writes';
