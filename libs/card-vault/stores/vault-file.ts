import type { KeyObject } from 'node:crypto';
import type { CardHandle, MerchantLogin } from '@app/kernel';
import type { Migration, Database } from '@app/databases/sqlite';
import type { KekId, KnownAnswer } from '../keys/key-ring';
import type { OrderKeyId } from '../port';
import type { Inserted, NewCard, OrderKeyBlock, RewrappedCard, RewrappedOrderKey } from '../vault-store';

export interface VaultJobs {
  /** The result is the fault, or undefined. */
  'recognise-keys': { job: { answers: readonly KnownAnswer[]; retired: readonly string[] }; result: string | undefined };
  'insert-card': { job: { card: NewCard }; result: Inserted };
  'shred-card': { job: { merchant: MerchantLogin; handle: CardHandle }; result: boolean };
  'mark-owned': { job: { merchant: MerchantLogin; handle: CardHandle }; result: boolean };
  /** The KEK is passed as a handle to shared memory, not as bytes. */
  'make-order-keys': { job: { count: number; kekId: KekId; kek: KeyObject }; result: OrderKeyBlock };
  'erase-order-keys': { job: { ids: readonly OrderKeyId[] }; result: readonly OrderKeyId[] };
  /** The result counts the rows that were unchanged since the read. */
  'replace-cards': { job: { rows: readonly RewrappedCard[] }; result: number };
  'replace-order-keys': { job: { rows: readonly RewrappedOrderKey[] }; result: number };
  /** True if the write-ahead log contains no shredded data; otherwise it is checkpointed after this group. */
  'log-is-clean': { job: Record<never, never>; result: boolean };
}

export type VaultJobKind = keyof VaultJobs;
export type VaultJob<Kind extends VaultJobKind = VaultJobKind> = { [K in Kind]: { kind: K } & VaultJobs[K]['job'] }[Kind];
export type VaultJobResult<Kind extends VaultJobKind = VaultJobKind> = VaultJobs[Kind]['result'];

/** Key material is only appended or overwritten, never deleted: SQLite moves rows on deletion, and the page keeps copies. */
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

/** How long another process's reader may delay the checkpoint; all other writes wait for it. */
const READERS_WAIT_MS = 50;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * The write-ahead log keeps old pages until it is truncated, which is impossible inside the transaction. A microtask does it, because messages could starve
 * an immediate.
 */
export class LogTruncation {
  readonly #db: Database;
  #isDirty: boolean;
  #isScheduled = false;

  constructor(db: Database) {
    this.#db = db;
    this.#isDirty = !this.#truncate();
  }

  shredded(): void {
    this.#isDirty = true;
    this.#schedule();
  }

  isClean(): boolean {
    if (this.#isDirty) this.#schedule();
    return !this.#isDirty;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      if (this.#db.isOpen) this.#isDirty = !this.#truncate();
    });
  }

  #truncate(): boolean {
    this.#db.exec(`PRAGMA busy_timeout=${READERS_WAIT_MS}`);
    try {
      const { busy } = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
      return busy === 0;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    }
  }
}
