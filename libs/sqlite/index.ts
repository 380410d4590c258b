export * from './database';
export * from './database-thread';
export * from './grouped-writer';
export * from './serve-grouped-writes';
