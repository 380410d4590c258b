import type { EventId, Revision, StreamName } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import type { Kysely } from 'kysely';
import { createKeyed, withColumns, type Columns } from './columns';
import type { Connection, Db } from './database/tables';
import { foldEach, isDataFault, type Failure } from './faults';
import type { BatchEvent, LogEvent } from './log-event';
import { tableNames, type Projection, type ProjectionTable, type Resumed, type Transact } from './projection';
import type { Reader } from './reader';
import { BulkInsertKeys } from './rebuild/bulk-statements';

/** No stream's name contains it, so the stream can be cut from a key whatever the identifier contains. */
const SEPARATOR = ' ';
/** The character after the separator: upper bound of an identifier's keys. */
const AFTER_SEPARATOR = '!';

export const entryKey = (identifier: string, stream: string): string => `${identifier}${SEPARATOR}${stream}`;

const IDENTIFIER_LENGTH_MAX = 256;

/** PostgreSQL rejects texts with NUL, in rows and in queries. */
export const canBeIndexed = (identifier: string): boolean =>
  identifier !== '' && identifier.length <= IDENTIFIER_LENGTH_MAX && !identifier.includes('\0');

type CollectEntries = (event: LogEvent, collect: (identifier: string, named: string) => void) => void;

const COLUMNS = { key: { type: 'text', isKey: true, isByteOrdered: true, of: (key) => key } } as const satisfies Columns<[key: string]>;

/** This many entries take as much memory as one row of an order. */
const ENTRIES_A_ROW = 32;

/** A table of keys that never change, in one tree without a further index (85 bytes per key on average, five or six keys per order). */
class EntryTable implements ProjectionTable {
  readonly name: string;
  readonly key = 'key';
  readonly tables: readonly string[];
  readonly #insert: BulkInsertKeys;
  readonly #collect: CollectEntries;
  #keys: string[] = [];
  #streams: StreamName[] = [];
  #revisions: Revision[] = [];
  #ids: EventId[] = [];

  constructor(name: string, collect: CollectEntries) {
    this.name = name;
    this.#collect = collect;
    this.tables = [name];
    this.#insert = new BulkInsertKeys(name, 'key');
  }

  create(db: Db): Promise<void> {
    return createKeyed(db, withColumns(db, db.schema.createTable(this.name), COLUMNS));
  }

  createIndexes(): Promise<void> {
    return Promise.resolve();
  }

  get gathered(): number {
    return Math.ceil(this.#keys.length / ENTRIES_A_ROW);
  }

  gather(_db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<readonly Failure[]> {
    const failures = foldEach(events, isParked, (event) => {
      this.#collect(event, (identifier, named) => {
        this.#keys.push(entryKey(identifier, named));
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

  isIntact(): boolean {
    return true;
  }

  forget(): void {
    this.#keys = [];
    this.#streams = [];
    this.#revisions = [];
    this.#ids = [];
  }

  async resume(db: Db, _stream: StreamName, events: readonly BatchEvent[]): Promise<Resumed> {
    const again = new EntryTable(this.name, this.#collect);
    const [failure] = await again.gather(db, events, () => false);
    if (failure !== undefined) return { kind: 'failed', failure };
    await again.flush(db);
    return { kind: 'applied' };
  }
}

export interface EntryProjection extends Projection {
  readonly tableOf: (generation: number) => string;
  /** The streams that an identifier's entries name, sorted, from `from` on (inclusive). */
  readonly streams: (
    reader: Reader,
    identifier: string,
    asked: { readonly limit: number; readonly from?: StreamName | undefined; readonly deadline?: Deadline | undefined },
  ) => Promise<readonly StreamName[]>;
}

export const entryProjection = (
  name: string,
  { categories, shape, collect }: Pick<Projection, 'categories' | 'shape'> & { readonly collect: CollectEntries },
): EntryProjection => {
  const tableOf = tableNames(name);
  return {
    name,
    categories,
    shape,
    tableOf,
    table: (generation) => new EntryTable(tableOf(generation), collect),
    streams: async (reader, identifier, { limit, from = '', deadline }) => {
      if (!canBeIndexed(identifier)) return [];
      const ask = async (db: Db, generation: number): Promise<readonly { readonly key: string }[]> =>
        (db as unknown as Kysely<{ readonly entries: { readonly key: string } }>)
          .selectFrom(tableOf(generation) as 'entries')
          .select('key')
          .where('key', '>=', `${identifier}${SEPARATOR}${from}`)
          .where('key', '<', `${identifier}${AFTER_SEPARATOR}`)
          .orderBy('key')
          .limit(limit)
          .execute();
      const keys = await reader.read<readonly { readonly key: string }[]>(name, [], ask, deadline);
      const named = keys.map(({ key }) => key.slice(identifier.length + SEPARATOR.length) as StreamName);
      // The others belong to a longer identifier.
      return named.filter((stream) => !stream.includes(SEPARATOR));
    },
  };
};
