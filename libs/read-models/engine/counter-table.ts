import { sql, type CreateTableBuilder } from 'kysely';
import { createKeyed } from './columns';
import type { Connection, Db } from './database/tables';
import type { LogEvent } from './log-event';
import { BulkUpsert, isPostgres, type ColumnTypes, type ColumnValue } from './rebuild/bulk-statements';

/** An event adds 1 to each named counter of a key's row. */
export interface Count {
  readonly key: readonly ColumnValue[];
  readonly counters: readonly string[];
}

/**
 * Sums over the events of a folded table. The transaction that writes an event into its stream's row also adds its counts, and the row's
 * revision skips a repeated event, so each event counts once. The table has no checksum.
 */
export interface CounterShape<View> {
  readonly tableOf: (name: string) => string;
  /** A range of the first columns must select few rows, because rows are never deleted. */
  readonly key: ColumnTypes;
  readonly counters: readonly string[];
  /** @param before the view without the event */
  readonly countsOf: (before: View | undefined, event: LogEvent) => readonly Count[];
}

/** Frequent updates of few rows need room in their pages. */
const FILL_PERCENT = 50;

export class CounterTable<View> {
  readonly name: string;
  readonly countsOf: CounterShape<View>['countsOf'];
  readonly #keys: readonly string[];
  readonly #zeros: readonly number[];
  /** In a row. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #types: ColumnTypes;
  readonly #add: BulkUpsert;

  constructor(folded: string, { tableOf, key, counters, countsOf }: CounterShape<View>) {
    this.name = tableOf(folded);
    this.countsOf = countsOf;
    this.#keys = Object.keys(key);
    this.#zeros = counters.map(() => 0);
    this.#places = new Map(counters.map((name, index) => [name, this.#keys.length + index]));
    this.#types = { ...key, ...Object.fromEntries(counters.map((name) => [name, 'bigint' as const])) };
    this.#add = new BulkUpsert(this.name, this.#keys, this.#types, [], 'add');
  }

  async create(db: Db): Promise<void> {
    const columns = Object.entries(this.#types);
    const empty: CreateTableBuilder<string, string> = db.schema.createTable(this.name);
    const table = columns.reduce((made, [name, type]) => made.addColumn(name, type, (column) => column.notNull()), empty);
    await createKeyed(db, table.addPrimaryKeyConstraint(`${this.name}_key`, [...this.#keys]));
    if (isPostgres(db)) await sql`alter table ${sql.table(this.name)} set (fillfactor = ${sql.lit(FILL_PERCENT)})`.execute(db);
  }

  async add(db: Connection, counts: readonly Count[]): Promise<void> {
    const sums = new Map<string, ColumnValue[]>();
    for (const { key, counters } of counts) {
      const name = key.join('\0');
      const row = sums.get(name) ?? [...key, ...this.#zeros];
      sums.set(name, row);
      for (const counter of counters) {
        const index = this.#places.get(counter) ?? 0;
        row[index] = Number(row[index]) + 1;
      }
    }
    // Projectors of several partitions add to the same rows. They lock them in the same order, so that no deadlock can occur.
    const ordered = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
    await this.#add.run(
      db,
      ordered.map(([, row]) => row),
    );
  }
}
