import type { Migration } from '@app/databases/postgres';

/**
 * An update leaves the former row behind until VACUUM, so rows with key material are written once and overwritten once, when they are shredded:
 * whether a card is owned stands in a table of its own. Key material stays in its row (PLAIN), out of a second table that would keep copies too.
 * Texts compare by their bytes, or an upgrade of the system's locale would spoil the indexes.
 */
export const POSTGRES_VAULT_MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE cards (
    handle text COLLATE "C" PRIMARY KEY,
    merchant text COLLATE "C" NOT NULL,
    blob bytea NOT NULL
  );
  ALTER TABLE cards ALTER COLUMN blob SET STORAGE PLAIN;
  CREATE TABLE ownerless_cards (
    handle text COLLATE "C" PRIMARY KEY,
    merchant text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    created_ms bigint NOT NULL
  );
  CREATE INDEX ownerless_cards_by_age ON ownerless_cards (created_ms, handle);
  CREATE TABLE card_uids (
    merchant text COLLATE "C" NOT NULL,
    idx bytea NOT NULL,
    idx_key_id bigint NOT NULL,
    uid text COLLATE "C" NOT NULL,
    uid_number bigint NOT NULL,
    PRIMARY KEY (merchant, idx),
    UNIQUE (merchant, uid),
    UNIQUE (merchant, uid_number)
  );
  CREATE TABLE order_keys (
    id text COLLATE "C" PRIMARY KEY,
    kek_id bigint NOT NULL,
    wrapped bytea NOT NULL
  );
  ALTER TABLE order_keys ALTER COLUMN wrapped SET STORAGE PLAIN;
  CREATE TABLE known_answers (
    name text COLLATE "C" PRIMARY KEY,
    answer bytea NOT NULL
  );
  `,
];
