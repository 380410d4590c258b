import type { StreamName } from '@app/event-store';
import { createIndexes, createKeyed, rowMaker, typesOf, withColumns, type Columns, type Indexes } from './columns';
import type { Connection, Db } from './database/tables';
import { foldEach, isDataFault, type Failure } from './faults';
import type { BatchEvent, LogEvent } from './log-event';
import { tableNames, type Projection, type ProjectionTable, type Resumed, type Transact } from './projection';
import { BulkUpsert, type ColumnValue } from './rebuild/bulk-statements';

interface RecordShape<Entry> {
  /** Undefined for an event without a row. */
  readonly entry: (event: LogEvent) => Entry | undefined;
  /** The first is the key. */
  readonly columns: Columns<[entry: Entry]>;
  readonly indexes: Indexes;
}

interface Gathered {
  readonly row: readonly ColumnValue[];
  readonly event: Failure['event'];
}

/** One row for an event, which never changes. A row has no checksum: the log has the event. */
class RecordTable<Entry> implements ProjectionTable {
  readonly name: string;
  readonly key = 'key';
  readonly tables: readonly string[];
  readonly #shape: RecordShape<Entry>;
  readonly #rowOf: (entry: Entry) => readonly ColumnValue[];
  readonly #upsert: BulkUpsert;
  #rows: Gathered[] = [];

  constructor(name: string, shape: RecordShape<Entry>) {
    this.name = name;
    this.tables = [name];
    this.#shape = shape;
    this.#rowOf = rowMaker(shape.columns);
    this.#upsert = new BulkUpsert(name, 'key', typesOf(shape.columns));
  }

  create(db: Db): Promise<void> {
    return createKeyed(db, withColumns(db, db.schema.createTable(this.name), this.#shape.columns));
  }

  createIndexes(db: Db): Promise<void> {
    return createIndexes(db, this.name, this.#shape.indexes);
  }

  get gathered(): number {
    return this.#rows.length;
  }

  gather(_db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<readonly Failure[]> {
    const failures = foldEach(events, isParked, (event) => {
      const entry = this.#shape.entry(event);
      const { stream, revision, id } = event;
      if (entry !== undefined) this.#rows.push({ row: this.#rowOf(entry), event: { stream, revision, id } });
    });
    return Promise.resolve(failures);
  }

  async flush(db: Connection): Promise<void> {
    // An event that is delivered twice has one row.
    const rows = new Map(this.#rows.map(({ row }) => [row[0], row]));
    await this.#upsert.run(db, [...rows.values()]);
  }

  committed(): void {
    this.forget();
  }

  async flushApart(transact: Transact): Promise<readonly Failure[]> {
    const failures: Failure[] = [];
    for (const { row, event } of this.#rows) {
      try {
        await transact((db) => this.#upsert.run(db, [row]));
      } catch (error) {
        if (!isDataFault(error)) throw error;
        failures.push({ event, error });
      }
    }
    this.committed();
    return failures;
  }

  isIntact(): boolean {
    return true;
  }

  forget(): void {
    this.#rows = [];
  }

  async resume(db: Db, _stream: StreamName, events: readonly BatchEvent[]): Promise<Resumed> {
    const again = new RecordTable(this.name, this.#shape);
    const [failure] = await again.gather(db, events, () => false);
    if (failure !== undefined) return { kind: 'failed', failure };
    await again.flush(db);
    return { kind: 'applied' };
  }
}

export interface RecordProjection extends Projection {
  readonly tableOf: (generation: number) => string;
}

/** @param described the first column is the key, named `key` */
export const recordProjection = <Entry>(
  name: string,
  { categories, shape, ...described }: Pick<Projection, 'categories' | 'shape'> & RecordShape<Entry>,
): RecordProjection => {
  const tableOf = tableNames(name);
  return { name, categories, shape, tableOf, table: (generation) => new RecordTable(tableOf(generation), described) };
};
