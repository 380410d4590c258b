import { CompiledQuery, Kysely, type DatabaseConnection } from 'kysely';
import type { Deadline, Scheduler } from '@app/kernel';
import { migrate, openDatabase, type Database } from '@app/databases/sqlite';
import type { BulkLoad, ReadModelDatabase } from '../engine/database/database';
import { kyselyDialect } from '../engine/database/sqlite-database';
import { REGISTRY_SCHEMA, type Db, type ReadModelTables } from '../engine/database/tables';
import type { Partition } from '../engine/projecting/partitions';
import { copyOf, forgetStreamOf, isStillSpoilt, restoreTo, spoilRowOf, type DiskCopy, type SpoiltRow } from './disk-copy';
import { MemoryOwnership, OwnershipSlot } from './memory-ownership';
import { SharedConnection, UserLife, type Interrupt } from './shared-connection';
import { sharedDialect, type RowsHeard, type SharedDialectSettings } from './shared-dialect';

export interface MemoryDatabaseSettings {
  /** If set, several users compete for the right to project, and one owns it. */
  readonly scheduler?: Scheduler;
  readonly interrupt?: Interrupt;
  readonly onRows?: RowsHeard;
}

export interface MemoryDatabase extends ReadModelDatabase {
  end(): void;
  loseOwnership(): void;
  /**
   * The owner does not learn of the loss yet, so two processes project at once.
   * @returns reports the loss to the owner
   */
  loseOwnershipUntold(): () => void;
}

const IN_MEMORY = ':memory:';
const nothing = (): void => undefined;

const bulkLoadOf = (db: Db): BulkLoad => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    write: ({ sql, parameters }) => {
      last = last.then(() => db.executeQuery(CompiledQuery.raw(sql, [...parameters])));
      last.catch(nothing);
    },
    drained: async () => void (await last),
    close: () => Promise.resolve(),
  };
};

/**
 * Read models in memory that outlive their handles. All handles share one SQLite connection, so a transaction blocks all others, including
 * reads.
 */
export class MemoryDisk {
  readonly #db: Database;
  readonly #connection: DatabaseConnection;
  readonly #shared = new SharedConnection();
  readonly #owners = new Map<string, OwnershipSlot>();
  readonly #spoilt: SpoiltRow[] = [];

  private constructor(db: Database, connection: DatabaseConnection) {
    this.#db = db;
    this.#connection = connection;
  }

  static async create(): Promise<MemoryDisk> {
    const db = openDatabase(IN_MEMORY, { durability: 'rebuildable' });
    migrate(
      db,
      IN_MEMORY,
      REGISTRY_SCHEMA.map((step) => (database) => database.exec(step)),
    );
    const driver = kyselyDialect(db).createDriver();
    await driver.init();
    return new MemoryDisk(db, await driver.acquireConnection());
  }

  open({ scheduler, interrupt, onRows }: MemoryDatabaseSettings = {}): MemoryDatabase {
    const life = new UserLife();
    const ownerships: MemoryOwnership[] = [];
    const tablesBy = (deadline?: Deadline): Db =>
      new Kysely<ReadModelTables>({ dialect: this.#dialectOf(life, { interrupt, onRows, deadline }) });
    const tables = tablesBy();
    return {
      writes: tables,
      registry: tables,
      reads: tables,
      readsBy: tablesBy,
      bulkLoad: () => Promise.resolve(bulkLoadOf(tables)),
      isShared: true,
      ...(scheduler && {
        ownership: (events, partition) => {
          const ownership = new MemoryOwnership(this.#ownerOf(partition), scheduler, events, life);
          ownerships.push(ownership);
          return ownership;
        },
      }),
      close: async () => {
        if (life.isOver) return;
        await this.#shared.take(life, undefined, nothing).catch(nothing);
        life.end();
      },
      end: () => life.end(),
      loseOwnership: () => {
        for (const ownership of ownerships) ownership.lose();
      },
      loseOwnershipUntold: () => {
        const tellings = ownerships.map((ownership) => ownership.loseUntold());
        return () => {
          for (const tell of tellings) tell();
        };
      },
    };
  }

  #ownerOf({ number, of }: Partition): OwnershipSlot {
    const name = `${number}/${of}`;
    const slot = this.#owners.get(name) ?? new OwnershipSlot();
    this.#owners.set(name, slot);
    return slot;
  }

  copy(): DiskCopy {
    return copyOf(this.#db);
  }

  restore(copy: DiskCopy): void {
    restoreTo(this.#db, copy);
  }

  get isInTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /**
   * Corrupts a row of a folded table.
   * @param pick returns a random index below the count
   * @returns undefined if there is none
   */
  spoilRow(pick: (count: number) => number): SpoiltRow | undefined {
    const spoilt = spoilRowOf(this.#db, pick);
    if (spoilt !== undefined) this.#spoilt.push(spoilt);
    return spoilt;
  }

  get spoiltRows(): readonly SpoiltRow[] {
    return this.#spoilt.filter((row) => isStillSpoilt(this.#db, row));
  }

  forgetStream(stream: string): void {
    forgetStreamOf(this.#db, stream);
  }

  async stall(): Promise<{ readonly waiting: () => Promise<number>; readonly end: () => Promise<void> }> {
    const end = await this.#shared.take(new UserLife(), undefined, nothing);
    return { waiting: () => Promise.resolve(this.#shared.waitingCount), end: () => Promise.resolve(end()) };
  }

  remove(): void {
    this.#db.close();
  }

  #dialectOf(life: UserLife, heard: Pick<SharedDialectSettings, 'interrupt' | 'onRows' | 'deadline'>): ReturnType<typeof sharedDialect> {
    return sharedDialect({
      shared: this.#shared,
      connection: this.#connection,
      rollback: () => {
        if (this.#db.isOpen && this.#db.isTransaction) this.#db.exec('ROLLBACK');
      },
      life,
      ...heard,
    });
  }
}
