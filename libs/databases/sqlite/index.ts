export { closeDatabase, type Database, migrate, type Migration, openDatabase } from './database';
export { startDatabaseThread } from './database-thread';
export { GroupedWriter, type GroupedWriterSettings, WriterBroken, WriteRefused } from './grouped-writer';
export { serveGroupedWrites } from './serve-grouped-writes';
