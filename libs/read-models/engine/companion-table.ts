import type { StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { sql } from 'kysely';
import { BulkUpsert, isPostgres, type Columns, type ColumnValue } from './rebuild/bulk-statements';
import type { Connection, Db } from './database/tables';

/**
 * A narrow table beside a folded one, with a row for each of its rows: indexes over what changes with every event would make each update of the wide
 * row touch all of them. Its rows have no checksum, so what they find is held against the wide row before it is used.
 */
export interface CompanionShape<View> {
  /** The table's name, made of that of the folded table. */
  readonly tableOf: (name: string) => string;
  /** Columns of the key, which the view gives for good. */
  readonly key: readonly string[];
  /** All columns, those of the key among them. */
  readonly columns: Columns;
  /** Columns that the stream's first event sets for good, the key aside. */
  readonly fixed: readonly string[];
  /** @param recordedAt the time of the newest event */
  readonly valuesOf: (stream: StreamName, view: View, recordedAt: Instant) => readonly ColumnValue[];
  readonly create: (db: Db, table: string) => Promise<void>;
  readonly index: (db: Db, table: string) => Promise<void>;
}

/** A row is short, and each of its updates leaves a dead version of it behind until a vacuum. */
const FILL_PERCENT = 70;

/** The rows of a companion, written with those of its folded table. */
export class CompanionTable<View> {
  readonly name: string;
  readonly #shape: CompanionShape<View>;
  readonly #upsert: BulkUpsert;
  readonly #names: readonly string[];

  constructor(folded: string, shape: CompanionShape<View>) {
    this.name = shape.tableOf(folded);
    this.#shape = shape;
    this.#names = Object.keys(shape.columns);
    this.#upsert = new BulkUpsert(this.name, shape.key, shape.columns, shape.fixed);
  }

  async create(db: Db): Promise<void> {
    await this.#shape.create(db, this.name);
    if (isPostgres(db)) await sql`alter table ${sql.table(this.name)} set (fillfactor = ${sql.lit(FILL_PERCENT)})`.execute(db);
  }

  createIndexes(db: Db): Promise<void> {
    return this.#shape.index(db, this.name);
  }

  rowOf(stream: StreamName, view: View, recordedAt: Instant): readonly ColumnValue[] {
    return this.#shape.valuesOf(stream, view, recordedAt);
  }

  async write(db: Connection, rows: readonly (readonly ColumnValue[])[]): Promise<void> {
    await this.#upsert.run(db, rows);
  }

  /** Replaces a row whole, with the columns that an update leaves alone. */
  async replace(db: Db, row: readonly ColumnValue[]): Promise<void> {
    const key = this.#shape.key.map((name) => sql`${sql.ref(name)} = ${row[this.#names.indexOf(name)] ?? null}`);
    await sql`delete from ${sql.table(this.name)} where ${sql.join(key, sql` and `)}`.execute(db);
    await this.#upsert.run(db, [row]);
  }
}
