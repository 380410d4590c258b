import type { EventId, Revision, StreamName } from '@app/event-store';
import { sql } from 'kysely';
import { BulkInsertKeys, isPostgres } from '../../engine/rebuild/bulk-statements';
import { foldEach, isDataFault, type Failure } from '../../engine/faults';
import type { BatchEvent } from '../../engine/log-event';
import { ORDER_STATUS_CATEGORIES } from '../order-status/order-status.table';
import type { Projection, ProjectionTable, Resumed, Transact } from '../../engine/projection';
import type { Connection, Db } from '../../engine/database/tables';
import { collectIdentifiers } from './order-search.fold';

export const ORDER_SEARCH = 'order-search';

export const orderSearchTable = (generation: number): `order_search_g${number}` => `order_search_g${generation}`;

/** No stream's name contains it, so that the stream can be cut from a key whatever the identifier contains. */
const SEPARATOR = ' ';
/** The character after the separator, which gives the upper bound of an identifier's keys. */
const AFTER_SEPARATOR = '!';

/** Key of an entry: an identifier and the stream of the order that it names. */
export const keyOf = (identifier: string, stream: StreamName): string => `${identifier}${SEPARATOR}${stream}`;

/** Bounds of an identifier's keys, and the stream of a key between them; undefined where the key belongs to a longer identifier. */
export const entriesOf = (identifier: string) => ({
  from: `${identifier}${SEPARATOR}`,
  to: `${identifier}${AFTER_SEPARATOR}`,
  streamOf: (key: string): StreamName | undefined => {
    const stream = key.slice(identifier.length + SEPARATOR.length);
    return stream.includes(SEPARATOR) ? undefined : (stream as StreamName);
  },
});

/** Count of entries that take as much memory as one row of an order. */
const ENTRIES_A_ROW = 32;

/** A table of keys that never change, in one tree without a further index (a key has 85 bytes on average, an order has five or six). */
class OrderSearchTable implements ProjectionTable {
  readonly name: string;
  readonly tables: readonly string[];
  readonly #insert: BulkInsertKeys;
  /** Unwritten keys; duplicates are written once. */
  #keys: string[] = [];
  /** Identity of each key's event, in parallel lists, so that the events' data do not stay in memory. */
  #streams: StreamName[] = [];
  #revisions: Revision[] = [];
  #ids: EventId[] = [];

  constructor(name: string) {
    this.name = name;
    this.tables = [name];
    this.#insert = new BulkInsertKeys(name, 'key');
  }

  async create(db: Db): Promise<void> {
    const isServer = isPostgres(db);
    // Keys are compared byte by byte, whatever the database's own order of words is.
    const table = db.schema
      .createTable(this.name)
      .addColumn('key', isServer ? sql`text collate "C"` : 'text', (column) => column.primaryKey().notNull());
    await (isServer ? table : table.modifyEnd(sql`without rowid`)).execute();
  }

  createIndexes(): Promise<void> {
    return Promise.resolve();
  }

  get gathered(): number {
    return Math.ceil(this.#keys.length / ENTRIES_A_ROW);
  }

  gather(_db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<readonly Failure[]> {
    const failures = foldEach(events, isParked, (event) => {
      collectIdentifiers(event, (identifier) => {
        this.#keys.push(keyOf(identifier, event.stream));
        this.#streams.push(event.stream);
        this.#revisions.push(event.revision);
        this.#ids.push(event.id);
      });
    });
    return Promise.resolve(failures);
  }

  async flush(db: Connection): Promise<void> {
    await this.#insert.run(db, this.#keys);
  }

  committed(): void {
    this.forget();
  }

  async flushApart(transact: Transact): Promise<readonly Failure[]> {
    const failures: Failure[] = [];
    for (const [index, stream] of this.#streams.entries()) {
      try {
        await transact((db) => this.#insert.run(db, this.#keys.slice(index, index + 1)));
      } catch (error) {
        if (!isDataFault(error)) throw error;
        const [revision, id] = [this.#revisions[index], this.#ids[index]];
        if (revision !== undefined && id !== undefined) failures.push({ event: { stream, revision, id }, error });
      }
    }
    this.committed();
    return failures;
  }

  forget(): void {
    this.#keys = [];
    this.#streams = [];
    this.#revisions = [];
    this.#ids = [];
  }

  async resume(db: Db, _stream: StreamName, events: readonly BatchEvent[]): Promise<Resumed> {
    const again = new OrderSearchTable(this.name);
    const [failure] = await again.gather(db, events, () => false);
    if (failure !== undefined) return { kind: 'failed', failure };
    await again.flush(db);
    return { kind: 'applied' };
  }
}

/** The read model behind searches by identifiers that do not name a stream (receipt pages, an operator's search). */
export const orderSearchProjection: Projection = {
  name: ORDER_SEARCH,
  categories: ORDER_STATUS_CATEGORIES,
  shape: 4,
  table: (generation) => new OrderSearchTable(orderSearchTable(generation)),
};
