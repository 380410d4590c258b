export * from './database';
export * from './grouped-writer';
export * from './serve-grouped-writes';
