import type { Migration } from '@app/sqlite';

/**
 * Position is the rowid: with one writer and no deletion, commit order is position order.
 * The columns that a subscription filters by come before the long texts, so that a scan does not read those. There is no index on ids: a retry is
 * recognised by the ids at the revisions that it would have written, as in EventStoreDB.
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
