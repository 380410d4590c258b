export * from './database';
export * from './database-thread';
export * from './grouped-writer';
export type { ApplyJob } from './group-commit';
export * from './serve-grouped-writes';
