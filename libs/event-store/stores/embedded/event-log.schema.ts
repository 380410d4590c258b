import type { Migration } from '@app/sqlite';

/**
 * Position is the rowid: one writer, so commit order is position order, and nothing is ever deleted.
 * What a subscription filters by stands before the long texts, so that a scan does not read past it. There is no index on ids: a retry is
 * recognised by the ids that stand where it would have written, as EventStoreDB does it.
 */
export const EVENT_LOG_MIGRATIONS: readonly Migration[] = [
  (db) =>
    db.exec(`
      CREATE TABLE events (
        position INTEGER PRIMARY KEY,
        category TEXT NOT NULL,
        stream TEXT NOT NULL,
        revision INTEGER NOT NULL CHECK (revision >= 0),
        id TEXT NOT NULL,
        type TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        data TEXT NOT NULL,
        UNIQUE (stream, revision)
      ) STRICT`),
];
