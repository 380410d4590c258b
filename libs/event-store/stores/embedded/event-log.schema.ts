import type { Migration } from '@app/databases/sqlite';

/**
 * 16 MiB of the write-ahead log, then a commit carries it into the file. Nearly every event writes a page of the index of streams, whose names are random:
 * with SQLite's own 4 MiB the same pages are carried four times as often, two syncs each time. As long as it has no more than 4,096 pages, a read looks
 * through one table of its index.
 */
export const LOG_CHECKPOINT_PAGES = 4_000;

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
