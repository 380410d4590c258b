import type { StreamName } from '@app/event-store';
import { sql } from 'kysely';
import { BulkUpsert, isPostgres, type Columns, type ColumnValue } from '../bulk-statements';
import { foldEach, isDataFault, type Failure } from '../faults';
import type { BatchEvent, LogEvent } from '../log-event';
import { ORDER_STATUS_CATEGORIES } from '../order-status/order-status.table';
import type { Projection, ProjectionTable, TakenUp, Transact } from '../projection';
import type { Connection, Db } from '../tables';
import { identifiersOf } from './order-search.fold';

export const ORDER_SEARCH = 'order-search';

export const orderSearchTable = (generation: number): `order_search_g${number}` => `order_search_g${generation}`;

const COLUMNS: Columns = { key: 'text', merchant: 'text' };

/** No stream's name holds it, so that a key ends with its stream whatever an identifier holds. */
const SEPARATOR = ' ';
/** The next character: what begins with an identifier and the separator lies before an identifier and this. */
const AFTER_SEPARATOR = '!';

/** One entry: an identifier and the stream that it names an order of. */
const keyOf = (identifier: string, stream: StreamName): string => `${identifier}${SEPARATOR}${stream}`;

/** Bounds of an identifier's entries, and the stream of a key between them; undefined where the key is a longer identifier's. */
export const entriesOf = (identifier: string) => ({
  from: `${identifier}${SEPARATOR}`,
  to: `${identifier}${AFTER_SEPARATOR}`,
  streamOf: (key: string): StreamName | undefined => {
    const stream = key.slice(identifier.length + SEPARATOR.length);
    return stream.includes(SEPARATOR) ? undefined : (stream as StreamName);
  },
});

interface Entry {
  readonly row: readonly ColumnValue[];
  readonly event: LogEvent;
}

/** Rows that are written once and never changed: one tree of keys, no further index (a row is 100 bytes, and each order has four or five). */
class OrderSearchTable implements ProjectionTable {
  readonly name: string;
  readonly #upsert: BulkUpsert;
  readonly #entries = new Map<string, Entry>();

  constructor(name: string) {
    this.name = name;
    this.#upsert = new BulkUpsert(name, 'key', COLUMNS);
  }

  async create(db: Db): Promise<void> {
    const isServer = isPostgres(db);
    // Keys are compared byte by byte, whatever the database's own order of words is.
    const table = db.schema
      .createTable(this.name)
      .addColumn('key', isServer ? sql`text collate "C"` : 'text', (column) => column.primaryKey().notNull())
      .addColumn('merchant', 'text', (column) => column.notNull());
    await (isServer ? table : table.modifyEnd(sql`without rowid`)).execute();
  }

  createIndexes(): Promise<void> {
    return Promise.resolve();
  }

  get gathered(): number {
    return this.#entries.size;
  }

  gather(_db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<readonly Failure[]> {
    const failures = foldEach(events, isParked, (event) => {
      for (const identifier of identifiersOf(event)) {
        const key = keyOf(identifier, event.stream);
        this.#entries.set(key, { row: [key, event.metadata.merchant], event });
      }
    });
    return Promise.resolve(failures);
  }

  async flush(db: Connection): Promise<void> {
    const rows = [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { row }]) => row);
    await this.#upsert.run(db, rows);
  }

  committed(): void {
    this.#entries.clear();
  }

  async flushApart(transact: Transact): Promise<readonly Failure[]> {
    const failures: Failure[] = [];
    for (const { row, event } of this.#entries.values()) {
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

  forget(): void {
    this.#entries.clear();
  }

  async takeUp(db: Db, _stream: StreamName, events: readonly BatchEvent[]): Promise<TakenUp> {
    const again = new OrderSearchTable(this.name);
    const [failure] = await again.gather(db, events, () => false);
    if (failure !== undefined) return { kind: 'failed', failure };
    await again.flush(db);
    return { kind: 'applied' };
  }
}

/** By which identifier somebody may ask for an order that names no stream by itself (receipt pages; an operator's search). */
export const orderSearchProjection: Projection = {
  name: ORDER_SEARCH,
  categories: ORDER_STATUS_CATEGORIES,
  shape: 1,
  table: (generation) => new OrderSearchTable(orderSearchTable(generation)),
};
