export * from './database';
export * from './grouped-writer';
export type { ApplyJob } from './group-commit';
export * from './serve-grouped-writes';
