import type { StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { sql } from 'kysely';
import { createIndexes, createKeyed, fixedOf, rowMaker, typesOf, withColumns, type Columns, type Indexes } from './columns';
import type { Connection, Db } from './database/tables';
import { BulkUpsert, isPostgres, type ColumnValue } from './rebuild/bulk-statements';

/** What a row is made of: the view, the time of its latest event, and the stream. */
export type Given<View> = [view: View, recordedAt: Instant, stream: StreamName];

/**
 * A narrow table with a row for each row of a folded table, so that frequent changes do not touch the wide row's indexes. It has no
 * checksum: check its results against the wide row.
 */
export interface CompanionShape<View> {
  readonly tableOf: (name: string) => string;
  /** Must never change for a view. */
  readonly key: { readonly name: string; readonly columns: readonly [string, ...string[]] };
  readonly columns: Columns<Given<View>>;
  readonly indexes: Indexes;
}

/** Each update of a short row leaves a dead version until a vacuum. */
const FILL_PERCENT = 70;

export class CompanionTable<View> {
  readonly name: string;
  readonly rowOf: (...given: Given<View>) => readonly ColumnValue[];
  readonly #shape: CompanionShape<View>;
  readonly #upsert: BulkUpsert;
  readonly #names: readonly string[];

  constructor(folded: string, shape: CompanionShape<View>) {
    this.name = shape.tableOf(folded);
    this.rowOf = rowMaker(shape.columns);
    this.#shape = shape;
    this.#names = Object.keys(shape.columns);
    this.#upsert = new BulkUpsert(this.name, shape.key.columns, typesOf(shape.columns), fixedOf(shape.columns));
  }

  async create(db: Db): Promise<void> {
    const { columns, key } = this.#shape;
    const table = withColumns(db, db.schema.createTable(this.name), columns);
    await createKeyed(db, table.addPrimaryKeyConstraint(`${this.name}_${key.name}`, [...key.columns]));
    if (isPostgres(db)) await sql`alter table ${sql.table(this.name)} set (fillfactor = ${sql.lit(FILL_PERCENT)})`.execute(db);
  }

  createIndexes(db: Db): Promise<void> {
    return createIndexes(db, this.name, this.#shape.indexes);
  }

  async write(db: Connection, rows: readonly (readonly ColumnValue[])[]): Promise<void> {
    await this.#upsert.run(db, rows);
  }

  async replace(db: Db, row: readonly ColumnValue[]): Promise<void> {
    const key = this.#shape.key.columns.map((name) => sql`${sql.ref(name)} = ${row[this.#names.indexOf(name)] ?? null}`);
    await sql`delete from ${sql.table(this.name)} where ${sql.join(key, sql` and `)}`.execute(db);
    await this.#upsert.run(db, [row]);
  }
}
