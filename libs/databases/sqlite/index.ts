export { closeDatabase, type Database, migrate, type Migration, openDatabase, startDatabaseThread } from './database';
export { GroupedWriter, type GroupedWriterSettings, waitingWrites, writeRebuildable, WriterBroken, WriteRefused } from './grouped-writer';
export { serveGroupedWrites } from './serve-grouped-writes';
