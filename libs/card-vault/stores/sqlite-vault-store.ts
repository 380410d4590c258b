import { join } from 'node:path';
import {
  systemScheduler,
  TimeLimits,
  type CardHandle,
  type CardUid,
  type Deadline,
  type Instant,
  type MerchantLogin,
  type Scheduler,
} from '@app/kernel';
import { GroupedWriter, openDatabase, WriteRefused, WriterBroken, type Database, type GroupedWriterSettings } from '@app/databases/sqlite';
import { KeyRingFault, primaryKek, type KeyRing, type KnownAnswer } from '../keys/key-ring';
import { TIME_IS_OVER, VaultUnavailable, type OrderKeyId, type OwnerlessCard } from '../port';
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
import type { VaultJob, VaultJobKind, VaultJobResult, VaultJobs } from './vault-file';

/** Keys overwritten in one job. Larger erasures are split, so that other writes run in between. */
const ERASED_PER_JOB_MAX = 500;
/** Maximum checks until the write-ahead log is clean. One is normal; a reader in another process can delay it. */
const LOG_ASKED_MAX = 20;
/** Longer than the writer waits for another process's lock; equal to the limit of a log append. */
const WRITE_MS_MAX = 10_000;

export interface SqliteVaultStoreSettings extends Pick<GroupedWriterSettings, 'groupJobsMax' | 'commitDelayMs' | 'waitingJobsMax'> {
  readonly path: string;
  readonly keyRing: KeyRing;
  readonly scheduler?: Scheduler;
  /** Time limit of a write. After it the write is abandoned, but may have been stored. */
  readonly writeLimitMs?: number;
  /** Called once: the stored state is unknown and the process must stop (safety, F25). */
  readonly onBroken?: (error: Error) => void;
}

const statementsOf = (db: Database) => ({
  card: db.prepare('SELECT blob FROM cards WHERE merchant = ? AND handle = ?'),
  ownerless: db.prepare(
    'SELECT merchant, handle, owner FROM cards WHERE ownerless = 1 AND created_ms < ? ORDER BY created_ms, position LIMIT ?',
  ),
  uidNumber: db.prepare('SELECT uid_number FROM card_uids WHERE merchant = ? AND uid = ?'),
  orderKey: db.prepare('SELECT kek_id, wrapped FROM order_keys WHERE id = ?'),
  cardRows: db.prepare('SELECT position, merchant, handle, blob FROM cards WHERE position > ? ORDER BY position LIMIT ?'),
  orderKeyRows: db.prepare('SELECT position, id, kek_id, wrapped FROM order_keys WHERE position > ? ORDER BY position LIMIT ?'),
  alive: db.prepare('SELECT 1 AS one'),
});

const assertInTime = (deadline: Deadline | undefined): void => {
  if (deadline?.isOver === true) throw new VaultUnavailable(TIME_IS_OVER);
};

export class SqliteVaultStore implements VaultStore {
  readonly #writer: GroupedWriter<VaultJob, VaultJobResult>;
  readonly #reader: Database;
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #keyRing: KeyRing;
  readonly #broken: { error: Error | undefined };
  readonly #limits: TimeLimits;

  private constructor(
    writer: GroupedWriter<VaultJob, VaultJobResult>,
    reader: Database,
    {
      keyRing,
      scheduler = systemScheduler,
      writeLimitMs = WRITE_MS_MAX,
    }: Pick<SqliteVaultStoreSettings, 'keyRing' | 'scheduler' | 'writeLimitMs'>,
    broken: { error: Error | undefined },
  ) {
    this.#writer = writer;
    this.#reader = reader;
    this.#statements = statementsOf(reader);
    this.#keyRing = keyRing;
    this.#broken = broken;
    this.#limits = new TimeLimits(scheduler, writeLimitMs);
  }

  static async open({ path, onBroken, keyRing, scheduler, writeLimitMs, ...limits }: SqliteVaultStoreSettings): Promise<SqliteVaultStore> {
    const broken: { error: Error | undefined } = { error: undefined };
    const writer = await GroupedWriter.open<VaultJob, VaultJobResult>({
      ...limits,
      path,
      name: 'the vault',
      workerFile: join(__dirname, 'vault.worker'),
      callerFile: __filename,
      secureDelete: true,
      onBroken: (error) => {
        broken.error = error;
        onBroken?.(error);
      },
    });
    try {
      const settings = { keyRing, ...(scheduler && { scheduler }), ...(writeLimitMs !== undefined && { writeLimitMs }) };
      return new SqliteVaultStore(writer, openDatabase(path, { readOnly: true }), settings, broken);
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  async recognise(answers: readonly KnownAnswer[], retired: ReadonlySet<string>): Promise<void> {
    const fault = await this.#write('recognise-keys', { answers, retired: [...retired] });
    if (fault !== undefined) throw new KeyRingFault(fault);
  }

  insertCard(card: NewCard, deadline?: Deadline): Promise<Inserted> {
    return this.#write('insert-card', { card }, deadline);
  }

  async findCard(merchant: MerchantLogin, handle: CardHandle): Promise<Uint8Array | undefined> {
    return this.#read(() => (this.#statements.card.get(merchant, handle) as { blob: Uint8Array } | undefined)?.blob);
  }

  async shredCard(merchant: MerchantLogin, handle: CardHandle): Promise<boolean> {
    const isKnown = await this.#write('shred-card', { merchant, handle });
    if (isKnown) await this.#cleanLog();
    return isKnown;
  }

  markOwned(merchant: MerchantLogin, handle: CardHandle): Promise<boolean> {
    return this.#write('mark-owned', { merchant, handle });
  }

  async ownerlessCards(before: Instant, limit: number): Promise<readonly OwnerlessCard[]> {
    const rows = this.#read(() => this.#statements.ownerless.all(before, limit) as unknown as OwnerlessCard[]);
    return rows.map(({ merchant, handle, owner }) => ({ merchant, handle, owner }));
  }

  async findUidNumber(merchant: MerchantLogin, uid: CardUid): Promise<number | undefined> {
    return this.#read(() => (this.#statements.uidNumber.get(merchant, uid) as { uid_number: number } | undefined)?.uid_number);
  }

  makeOrderKeys(count: number): Promise<OrderKeyBlock> {
    const job = { count, kekId: this.#keyRing.primaryKekId, kek: primaryKek(this.#keyRing) };
    return this.#write('make-order-keys', job, undefined, ({ keys }) => void keys.fill(0));
  }

  async findOrderKey(id: OrderKeyId, deadline?: Deadline): Promise<StoredOrderKey | undefined> {
    assertInTime(deadline);
    const row = this.#read(() => this.#statements.orderKey.get(id) as { kek_id: number; wrapped: Uint8Array } | undefined);
    return row === undefined ? undefined : { kekId: row.kek_id, wrapped: row.wrapped };
  }

  async eraseOrderKeys(ids: readonly OrderKeyId[]): Promise<readonly OrderKeyId[]> {
    const unknown: OrderKeyId[] = [];
    for (let from = 0; from < ids.length; from += ERASED_PER_JOB_MAX) {
      unknown.push(...(await this.#write('erase-order-keys', { ids: ids.slice(from, from + ERASED_PER_JOB_MAX) })));
    }
    if (ids.length > 0) await this.#cleanLog();
    return unknown;
  }

  async cardRows(after: string | undefined, limit: number): Promise<readonly StoredCardRow[]> {
    type Row = { position: number; merchant: MerchantLogin; handle: CardHandle; blob: Uint8Array };
    const rows = this.#read(() => this.#statements.cardRows.all(Number(after ?? 0), limit) as unknown as Row[]);
    return rows.map(({ position, ...row }) => ({ key: String(position), ...row }));
  }

  async orderKeyRows(after: string | undefined, limit: number): Promise<readonly StoredOrderKeyRow[]> {
    type Row = { position: number; id: OrderKeyId; kek_id: number; wrapped: Uint8Array };
    const rows = this.#read(() => this.#statements.orderKeyRows.all(Number(after ?? 0), limit) as unknown as Row[]);
    return rows.map(({ position, id, kek_id: kekId, wrapped }) => ({ key: String(position), id, kekId, wrapped }));
  }

  replaceCards(rows: readonly RewrappedCard[]): Promise<number> {
    return this.#write('replace-cards', { rows });
  }

  replaceOrderKeys(rows: readonly RewrappedOrderKey[]): Promise<number> {
    return this.#write('replace-order-keys', { rows });
  }

  async problem(): Promise<string | undefined> {
    if (this.#broken.error !== undefined) return this.#broken.error.message;
    try {
      this.#read(() => void this.#statements.alive.get());
      await this.#writer.assertRoom();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  async close(): Promise<void> {
    if (this.#reader.isOpen) this.#reader.close(); // first, since the writer checkpoints the log and a reader could delay it
    await this.#writer.close();
    this.#limits.stop();
  }

  async #cleanLog(): Promise<void> {
    for (let asked = 0; asked < LOG_ASKED_MAX; asked++) {
      if (await this.#write('log-is-clean', {})) return;
    }
    throw new VaultUnavailable('shredded, but a reader holds the write-ahead log with the former bytes; shred again');
  }

  /** @param onLate receives the result of an abandoned write, which the writer's thread cannot cancel */
  async #write<Kind extends VaultJobKind>(
    kind: Kind,
    job: VaultJobs[Kind]['job'],
    deadline?: Deadline,
    onLate?: (result: VaultJobResult<Kind>) => void,
  ): Promise<VaultJobResult<Kind>> {
    assertInTime(deadline);
    try {
      return await this.#inTime(this.#writer.submit({ kind, ...job } as VaultJob), deadline, onLate);
    } catch (error) {
      if (error instanceof WriteRefused || error instanceof WriterBroken) throw new VaultUnavailable(error.message);
      throw error;
    }
  }

  #inTime<Result>(
    writing: Promise<Result>,
    deadline: Deadline | undefined,
    onLate: ((result: Result) => void) | undefined,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      let isGivenUp = false;
      const giveUp = (why: string): void => {
        isGivenUp = true;
        settle();
        reject(new VaultUnavailable(why));
      };
      const expire = this.#limits.begin(() => giveUp('no answer within the limit of a write'));
      const forget = deadline?.whenOver(() => giveUp(TIME_IS_OVER));
      const settle = (): void => {
        expire();
        forget?.();
      };
      writing.then(
        (result) => {
          settle();
          if (isGivenUp) onLate?.(result);
          else resolve(result);
        },
        (error: Error) => {
          settle();
          reject(error);
        },
      );
    });
  }

  #read<Row>(select: () => Row): Row {
    try {
      return select();
    } catch (error) {
      throw new VaultUnavailable(error instanceof Error ? error.message : String(error));
    }
  }
}
