import type { Migration } from '@app/databases/postgres';

/**
 * PostgreSQL keeps old rows until VACUUM, so rows with key material are written once and overwritten only when shredded. Ownership is therefore a separate table.
 * PLAIN keeps key material in its row instead of a TOAST copy. Byte-wise collation survives an upgrade of the system's locale.
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
