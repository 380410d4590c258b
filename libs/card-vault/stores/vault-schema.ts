import type { Migration } from '@app/databases/sqlite';

/**
 * Rows with key material are only ever appended and overwritten in the same length, never deleted: SQLite moves rows between pages when it
 * deletes or inserts in the middle, and leaves a copy behind in the page's free room, which no later shredding would reach. So `position` grows,
 * `ownerless` is 0 or 1 (both take no room in a row), and what is shredded becomes zeros.
 */
export const VAULT_MIGRATIONS: readonly Migration[] = [
  (db) =>
    db.exec(`
      CREATE TABLE cards (
        position INTEGER PRIMARY KEY,
        merchant TEXT NOT NULL,
        handle TEXT NOT NULL UNIQUE,
        blob BLOB NOT NULL,
        owner TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        ownerless INTEGER NOT NULL CHECK (ownerless IN (0, 1))
      );
      CREATE INDEX cards_ownerless ON cards (created_ms) WHERE ownerless = 1;
      CREATE TABLE card_uids (
        merchant TEXT NOT NULL,
        idx BLOB NOT NULL,
        idx_key_id INTEGER NOT NULL,
        uid TEXT NOT NULL,
        uid_number INTEGER NOT NULL,
        PRIMARY KEY (merchant, idx),
        UNIQUE (merchant, uid),
        UNIQUE (merchant, uid_number)
      );
      CREATE TABLE order_keys (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        kek_id INTEGER NOT NULL,
        wrapped BLOB NOT NULL
      );
      CREATE TABLE known_answers (
        name TEXT PRIMARY KEY,
        answer BLOB NOT NULL
      );
    `),
];
