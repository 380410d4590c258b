import { setImmediate as turn } from 'node:timers/promises';
import type { CardHandle, CardUid, Deadline, Instant, MerchantLogin, Secret } from '@app/kernel';
import {
  ask,
  asUnusable,
  closeDatabase,
  DatabaseUnusable,
  inTransaction,
  migrate,
  openDatabase,
  type Database,
} from '@app/databases/postgres';
import { KeyRingFault, primaryKek, type KekId, type KeyRing, type KnownAnswer, keyRingProblem } from '../keys/key-ring';
import { drawOrderKeys, wrapOrderKeys, WRAPPED_ORDER_KEY_BYTES } from '../keys/order-keys';
import { VaultUnavailable, type OrderKeyId, type OwnerlessCard } from '../port';
import { POSTGRES_VAULT_MIGRATIONS } from './postgres-vault-schema';
import type {
  Inserted,
  NewCard,
  OrderKeyBlock,
  RewrappedCard,
  RewrappedOrderKey,
  StoredCardRow,
  StoredOrderKey,
  StoredOrderKeyRow,
  VaultStore,
} from '../vault-store';

export interface PostgresVaultStoreSettings {
  readonly url: Secret<string>;
  readonly keyRing: KeyRing;
  /** PostgreSQL syncs concurrent transactions together, so a few connections suffice for thousands of writes a second. */
  readonly connectionsMax?: number;
  /** Maximum queue for a connection; further statements are refused at once, so that memory stays bounded. */
  readonly waitingMax?: number;
}

/** A request waits for the vault at most the sum of these. */
const CONNECT_TIMEOUT_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 3_000;
const CONNECTIONS_MAX = 8;
const WAITING_MAX = 5_000;
const ERASED_PER_STATEMENT_MAX = 500;
const WRAPPED_PER_TURN = 64;

interface Statement {
  readonly name: string;
  readonly text: string;
}

/** One statement, so one transaction and one round trip. A conflict inserts no row; the next attempt finds the uid. */
const INSERT_CARD: Statement = {
  name: 'insert-card',
  text: `
    WITH known AS (
      SELECT uid FROM card_uids WHERE merchant = $1 AND idx = ANY ($2::bytea[]) ORDER BY array_position($2::bytea[], idx) LIMIT 1
    ), taken AS (
      INSERT INTO card_uids (merchant, idx, idx_key_id, uid, uid_number)
      SELECT $1, ($2::bytea[])[1], $3, $4, $5 WHERE NOT EXISTS (SELECT FROM known)
      ON CONFLICT DO NOTHING RETURNING uid
    ), found AS (
      SELECT uid FROM known UNION ALL SELECT uid FROM taken
    ), card AS (
      INSERT INTO cards (handle, merchant, blob) SELECT $6, $1, $7 FROM found
    ), ownerless AS (
      INSERT INTO ownerless_cards (handle, merchant, owner, created_ms) SELECT $6, $1, $8, $9 FROM found
    )
    SELECT uid FROM found`,
};
const FIND_CARD: Statement = { name: 'find-card', text: 'SELECT blob FROM cards WHERE merchant = $1 AND handle = $2' };
const SHRED_CARD: Statement = {
  name: 'shred-card',
  text: `
    WITH ownerless AS (DELETE FROM ownerless_cards WHERE merchant = $1 AND handle = $2)
    UPDATE cards SET blob = decode(repeat('00', length(blob)), 'hex') WHERE merchant = $1 AND handle = $2 RETURNING handle`,
};
const MARK_OWNED: Statement = {
  name: 'mark-owned',
  text: `
    WITH ownerless AS (DELETE FROM ownerless_cards WHERE merchant = $1 AND handle = $2)
    SELECT handle FROM cards WHERE merchant = $1 AND handle = $2`,
};
const OWNERLESS_CARDS: Statement = {
  name: 'ownerless-cards',
  text: 'SELECT merchant, handle, owner FROM ownerless_cards WHERE created_ms < $1 ORDER BY created_ms, handle LIMIT $2',
};
const FIND_UID_NUMBER: Statement = { name: 'find-uid-number', text: 'SELECT uid_number FROM card_uids WHERE merchant = $1 AND uid = $2' };
const INSERT_ORDER_KEYS: Statement = {
  name: 'insert-order-keys',
  text: 'INSERT INTO order_keys (id, kek_id, wrapped) SELECT id, $1, wrapped FROM unnest($2::text[], $3::bytea[]) AS made (id, wrapped)',
};
const FIND_ORDER_KEY: Statement = { name: 'find-order-key', text: 'SELECT kek_id, wrapped FROM order_keys WHERE id = $1' };
/** Rows are locked in key order, so that concurrent erasures of the same keys cannot deadlock. */
const ERASE_ORDER_KEYS: Statement = {
  name: 'erase-order-keys',
  text: `
    WITH named AS (SELECT id FROM order_keys WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE)
    UPDATE order_keys SET wrapped = $2 FROM named WHERE order_keys.id = named.id RETURNING order_keys.id`,
};
const CARD_ROWS: Statement = {
  name: 'card-rows',
  text: 'SELECT handle AS key, merchant, handle, blob FROM cards WHERE handle > $1 ORDER BY handle LIMIT $2',
};
const ORDER_KEY_ROWS: Statement = {
  name: 'order-key-rows',
  text: 'SELECT id AS key, id, kek_id, wrapped FROM order_keys WHERE id > $1 ORDER BY id LIMIT $2',
};
/** Locked in key order, as above. Reads under the lock, so that concurrently shredded rows stay shredded. */
const REPLACE_CARDS: Statement = {
  name: 'replace-cards',
  text: `
    WITH named AS (
      SELECT cards.handle, becomes FROM cards JOIN unnest($1::text[], $2::bytea[], $3::bytea[]) AS row (handle, was, becomes)
      ON cards.handle = row.handle AND cards.blob = row.was ORDER BY cards.handle FOR UPDATE OF cards
    )
    UPDATE cards SET blob = named.becomes FROM named WHERE cards.handle = named.handle RETURNING cards.handle`,
};
const REPLACE_ORDER_KEYS: Statement = {
  name: 'replace-order-keys',
  text: `
    WITH named AS (
      SELECT order_keys.id, row.kek_id, row.becomes
      FROM order_keys JOIN unnest($1::text[], $2::bytea[], $3::bigint[], $4::bytea[]) AS row (id, was, kek_id, becomes)
      ON order_keys.id = row.id AND order_keys.wrapped = row.was ORDER BY order_keys.id FOR UPDATE OF order_keys
    )
    UPDATE order_keys SET kek_id = named.kek_id, wrapped = named.becomes FROM named WHERE order_keys.id = named.id RETURNING order_keys.id`,
};
const TAKES_WRITES: Statement = {
  name: 'takes-writes',
  text: "SELECT current_setting('transaction_read_only') = 'off' AS takes_writes",
};

/**
 * The vault's rows in PostgreSQL, for any number of processes (`VAULT_URL`). A write without an answer may have been stored: the card has no owner and is swept, the keys are never used.
 * Shredding overwrites the row at once. Old ciphertext stays in its page until VACUUM, in the write-ahead log, in replicas and in back-ups.
 * All of these count as back-ups, of 35 days at most (safety, section 5.4). Destroying a rotated-out KEK makes them unreadable (docs/recover.md, "Erasure").
 */
export class PostgresVaultStore implements VaultStore {
  readonly #db: Database;
  readonly #keyRing: KeyRing;
  readonly #waitingMax: number;
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  private constructor(db: Database, keyRing: KeyRing, waitingMax: number) {
    this.#db = db;
    this.#keyRing = keyRing;
    this.#waitingMax = waitingMax;
  }

  /** @throws DatabaseUnusable with one line: address, password, rights, newer schema, commits that would not be durable */
  static async open({ url, keyRing, connectionsMax, waitingMax = WAITING_MAX }: PostgresVaultStoreSettings): Promise<PostgresVaultStore> {
    const db = await openDatabase(url.reveal(), {
      name: 'card-vault',
      connectionsMax: connectionsMax ?? CONNECTIONS_MAX,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: LOCK_TIMEOUT_MS,
    });
    try {
      await assertDurable(db);
      await migrate(db, 'card_vault', POSTGRES_VAULT_MIGRATIONS);
      return new PostgresVaultStore(db, keyRing, waitingMax);
    } catch (error) {
      await closeDatabase(db);
      throw asUnusable(error, db.address);
    }
  }

  async recognise(answers: readonly KnownAnswer[], retired: ReadonlySet<string>): Promise<void> {
    await this.#answered(
      inTransaction(this.#db, async (client) => {
        await client.query('LOCK TABLE known_answers IN SHARE ROW EXCLUSIVE MODE'); // serialises processes that start at once
        const { rows: remembered } = await client.query<KnownAnswer>('SELECT name, answer FROM known_answers');
        const problem = keyRingProblem(remembered, answers, retired);
        if (problem !== undefined) throw new KeyRingFault(problem);
        const known = new Set(remembered.map(({ name }) => name));
        for (const { name, answer } of answers.filter((one) => !known.has(one.name))) {
          await client.query('INSERT INTO known_answers (name, answer) VALUES ($1, $2)', [name, answer]);
        }
      }),
    );
  }

  async insertCard({ merchant, indexes, handle, blob, owner, createdAt, uid, uidNumber }: NewCard, deadline?: Deadline): Promise<Inserted> {
    const [first] = indexes;
    if (first === undefined) throw new VaultUnavailable('a card without an index');
    const hashes = indexes.map(({ index }) => Buffer.from(index));
    const values = [merchant, hashes, first.keyId, uid, uidNumber, handle, blob, owner, createdAt];
    type Row = { uid: CardUid };
    const row = (await this.#row<Row>(INSERT_CARD, values, deadline)) ?? (await this.#row<Row>(INSERT_CARD, values, deadline));
    return row === undefined ? { kind: 'uid-taken' } : { kind: 'kept', uid: row.uid };
  }

  async findCard(merchant: MerchantLogin, handle: CardHandle): Promise<Uint8Array | undefined> {
    return (await this.#row<{ blob: Uint8Array }>(FIND_CARD, [merchant, handle]))?.blob;
  }

  async shredCard(merchant: MerchantLogin, handle: CardHandle): Promise<boolean> {
    return (await this.#row(SHRED_CARD, [merchant, handle])) !== undefined;
  }

  async markOwned(merchant: MerchantLogin, handle: CardHandle): Promise<boolean> {
    return (await this.#row(MARK_OWNED, [merchant, handle])) !== undefined;
  }

  ownerlessCards(before: Instant, limit: number): Promise<readonly OwnerlessCard[]> {
    return this.#rows<OwnerlessCard>(OWNERLESS_CARDS, [before, limit]);
  }

  async findUidNumber(merchant: MerchantLogin, uid: CardUid): Promise<number | undefined> {
    return (await this.#row<{ uid_number: number }>(FIND_UID_NUMBER, [merchant, uid]))?.uid_number;
  }

  async makeOrderKeys(count: number): Promise<OrderKeyBlock> {
    const block = drawOrderKeys(count);
    try {
      const ids: OrderKeyId[] = [];
      const wrapped: Buffer[] = [];
      // Read once: the ring may be rotated between the batches.
      const { primaryKekId } = this.#keyRing;
      for (const key of wrapOrderKeys(block, primaryKekId, primaryKek(this.#keyRing))) {
        ids.push(key.id);
        wrapped.push(key.wrapped);
        if (ids.length % WRAPPED_PER_TURN === 0) await turn();
      }
      await this.#rows(INSERT_ORDER_KEYS, [primaryKekId, ids, wrapped]);
      return block;
    } catch (error) {
      block.keys.fill(0);
      throw error;
    }
  }

  async findOrderKey(id: OrderKeyId, deadline?: Deadline): Promise<StoredOrderKey | undefined> {
    const row = await this.#row<{ kek_id: KekId; wrapped: Uint8Array }>(FIND_ORDER_KEY, [id], deadline);
    return row === undefined ? undefined : { kekId: row.kek_id, wrapped: row.wrapped };
  }

  async eraseOrderKeys(ids: readonly OrderKeyId[]): Promise<readonly OrderKeyId[]> {
    const erased = new Set<OrderKeyId>();
    for (let from = 0; from < ids.length; from += ERASED_PER_STATEMENT_MAX) {
      const some = ids.slice(from, from + ERASED_PER_STATEMENT_MAX);
      const rows = await this.#rows<{ id: OrderKeyId }>(ERASE_ORDER_KEYS, [some, Buffer.alloc(WRAPPED_ORDER_KEY_BYTES)]);
      for (const { id } of rows) erased.add(id);
    }
    return ids.filter((id) => !erased.has(id));
  }

  cardRows(after: string | undefined, limit: number): Promise<readonly StoredCardRow[]> {
    return this.#rows<StoredCardRow>(CARD_ROWS, [after ?? '', limit]);
  }

  async orderKeyRows(after: string | undefined, limit: number): Promise<readonly StoredOrderKeyRow[]> {
    type Row = { key: string; id: OrderKeyId; kek_id: KekId; wrapped: Uint8Array };
    const rows = await this.#rows<Row>(ORDER_KEY_ROWS, [after ?? '', limit]);
    return rows.map(({ key, id, kek_id: kekId, wrapped }) => ({ key, id, kekId, wrapped }));
  }

  async replaceCards(rows: readonly RewrappedCard[]): Promise<number> {
    const values = [rows.map(({ handle }) => handle), rows.map(({ was }) => was), rows.map(({ becomes }) => becomes)];
    return (await this.#rows(REPLACE_CARDS, values)).length;
  }

  async replaceOrderKeys(rows: readonly RewrappedOrderKey[]): Promise<number> {
    const values = [
      rows.map(({ id }) => id),
      rows.map(({ was }) => was),
      rows.map(({ becomes }) => becomes.kekId),
      rows.map(({ becomes }) => becomes.wrapped),
    ];
    return (await this.#rows(REPLACE_ORDER_KEYS, values)).length;
  }

  async problem(): Promise<string | undefined> {
    try {
      const row = await this.#row<{ takes_writes: boolean }>(TAKES_WRITES, []);
      return row?.takes_writes === true ? undefined : 'the server of the vault takes no writes: a standby, or set to read only';
    } catch (error) {
      return (error as Error).message;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
    await closeDatabase(this.#db);
  }

  async #row<Row extends object>(statement: Statement, values: unknown[], deadline?: Deadline): Promise<Row | undefined> {
    return (await this.#rows<Row>(statement, values, deadline))[0];
  }

  async #rows<Row extends object>(statement: Statement, values: unknown[], deadline?: Deadline): Promise<readonly Row[]> {
    if (this.#isClosed) throw new VaultUnavailable('the vault is closed');
    if (this.#db.pool.waitingCount >= this.#waitingMax) throw new VaultUnavailable('too many statements wait for the vault');
    return (await this.#answered(ask<Row>(this.#db, { ...statement, values }, deadline))).rows;
  }

  async #answered<Result>(asked: Promise<Result>): Promise<Result> {
    this.#underWay.add(asked);
    try {
      return await asked;
    } catch (error) {
      if (error instanceof KeyRingFault) throw error;
      throw new VaultUnavailable(asUnusable(error, this.#db.address).message);
    } finally {
      this.#underWay.delete(asked);
    }
  }
}

/** An acknowledged write must survive a server crash, but a setting that weakens this causes no error. */
const assertDurable = async ({ pool }: Database): Promise<void> => {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name",
  );
  const off = rows.map(({ name }) => name).join(', ');
  if (off !== '') throw new DatabaseUnusable(`the server of the vault has ${off} off: a commit would not survive its crash`);
};
