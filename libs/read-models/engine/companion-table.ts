import type { StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { sql } from 'kysely';
import { BulkUpsert, isPostgres, type Columns, type ColumnValue } from './rebuild/bulk-statements';
import type { Connection, Db } from './database/tables';

/**
 * A narrow table with a row for each row of a folded table, so that frequent changes do not touch the wide row's indexes. It has no
 * checksum: check its results against the wide row.
 */
export interface CompanionShape<View> {
  readonly tableOf: (name: string) => string;
  /** Must never change for a view. */
  readonly key: readonly string[];
  readonly columns: Columns;
  /** Set only by the stream's first event, without the key. */
  readonly fixed: readonly string[];
  readonly valuesOf: (stream: StreamName, view: View, recordedAt: Instant) => readonly ColumnValue[];
  readonly create: (db: Db, table: string) => Promise<void>;
  readonly index: (db: Db, table: string) => Promise<void>;
}

/** Each update of a short row leaves a dead version until a vacuum. */
const FILL_PERCENT = 70;

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

  async replace(db: Db, row: readonly ColumnValue[]): Promise<void> {
    const key = this.#shape.key.map((name) => sql`${sql.ref(name)} = ${row[this.#names.indexOf(name)] ?? null}`);
    await sql`delete from ${sql.table(this.name)} where ${sql.join(key, sql` and `)}`.execute(db);
    await this.#upsert.run(db, [row]);
  }
}
