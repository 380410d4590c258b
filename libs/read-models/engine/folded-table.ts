import type { Revision, StreamName } from '@app/event-store';
import { sql, type Kysely, type SelectQueryBuilder } from 'kysely';
import { createIndexes, fixedOf, rowMaker, typesOf, withColumns, type Columns, type Indexes, type RowOf } from './columns';
import { CompanionTable, type CompanionShape, type Given } from './companion-table';
import { CounterTable, type Count, type CounterShape } from './counter-table';
import { CannotApply, foldEach, isDataFault, type Failure } from './faults';
import type { BatchEvent, LogEvent } from './log-event';
import { tableNames, type Projection, type ProjectionTable, type Resumed, type RowSource, type Transact } from './projection';
import { BulkDelete, BulkSelect, BulkUpsert, isPostgres, type ColumnTypes, type ColumnValue } from './rebuild/bulk-statements';
import { CHECKSUM, isIntact, rowChecksum } from './row-checksum';
import type { Connection, Db, FoldedRow } from './database/tables';

export interface Folded<View> {
  readonly view: View;
  readonly revision: Revision;
}

export type Fold<View, Event extends LogEvent = LogEvent> = (view: View | undefined, event: Event) => View;

/**
 * Applies one event to a view; an event that is already included changes nothing.
 * @throws CannotApply if an event is missing between
 */
export const foldOnto = <View, Event extends LogEvent>(
  fold: Fold<View, Event>,
  before: Folded<View> | undefined,
  event: Event,
): Folded<View> => {
  const next = before === undefined ? 0n : before.revision + 1n;
  if (before !== undefined && event.revision < next) return before;
  if (event.revision !== next) throw new CannotApply(`revision ${next} is missing before ${event.revision}`);
  return { view: fold(before?.view, event), revision: event.revision };
};

/** Applies events as far as possible: a parked stream has a row up to its faulty event. */
export const foldedFrom = <View>(fold: Fold<View>, events: readonly BatchEvent[]): Folded<View> | undefined => {
  let folded: Folded<View> | undefined;
  foldEach(
    events,
    () => false,
    (event) => {
      folded = foldOnto(fold, folded, event);
    },
  );
  return folded;
};

interface FoldedShape<View> {
  readonly fold: Fold<View>;
  readonly isFinished: (view: View) => boolean;
  readonly columns: Columns<Given<View>>;
  readonly indexes: Indexes;
  /** Created with the table. They contain few rows, but after a bulk load each would read the whole table. */
  readonly earlyIndexes?: Indexes;
  readonly companion?: CompanionShape<View>;
  readonly counters?: CounterShape<View>;
}

/** Streams kept in memory between two batches; the oldest are dropped first. */
const REMEMBERED_STREAMS_MAX = 4_096;
/** Rows are serialised in groups, because a large flush would otherwise hold all of them twice. */
const ROWS_AT_ONCE = 1_024;
const REMEMBERED_STREAMS_MAX_BUILDING = 20_000;

interface Gathered {
  readonly first: Failure['event'];
  newest: LogEvent;
  readonly counts: Count[];
}

/** Only the identity, so that the event's data do not stay in memory. */
const identityOf = ({ stream, revision, id }: LogEvent): Failure['event'] => ({ stream, revision, id });

/** Leaves room in each page for new row versions, so that PostgreSQL updates rows without touching indexes. */
const FILL_PERCENT = 70;
const FOLDED_COLUMNS = { stream: 'text', revision: 'bigint', view: 'text' } as const satisfies ColumnTypes;

class FoldedTable<View> implements ProjectionTable {
  readonly name: string;
  readonly key = 'stream';
  readonly tables: readonly string[];
  readonly #shape: FoldedShape<View>;
  readonly #valuesOf: (...given: Given<View>) => readonly ColumnValue[];
  readonly #companion: CompanionTable<View> | undefined;
  readonly #counters: CounterTable<View> | undefined;
  readonly #isBuilding: boolean;
  readonly #log: RowSource | undefined;
  readonly #columns: readonly string[];
  readonly #remembered = new Map<StreamName, Folded<View>>();
  readonly #gathered = new Map<StreamName, Gathered>();
  readonly #select: BulkSelect<FoldedRow>;
  readonly #upsert: BulkUpsert;
  readonly #delete: BulkDelete;

  constructor(name: string, shape: FoldedShape<View>, isBuilding: boolean, log?: RowSource) {
    this.name = name;
    this.#valuesOf = rowMaker(shape.columns);
    this.#companion = shape.companion && new CompanionTable(name, shape.companion);
    this.#counters = shape.counters && new CounterTable(name, shape.counters);
    this.tables = [name, ...[this.#companion, this.#counters].flatMap((table) => table?.name ?? [])];
    this.#shape = shape;
    this.#isBuilding = isBuilding;
    this.#log = log;
    const types = { ...FOLDED_COLUMNS, ...typesOf(shape.columns) };
    this.#columns = Object.keys(types);
    this.#select = new BulkSelect(name, 'stream', [...this.#columns, CHECKSUM]);
    this.#upsert = new BulkUpsert(name, 'stream', { ...types, [CHECKSUM]: 'bigint' }, fixedOf(shape.columns));
    this.#delete = new BulkDelete(name, 'stream');
  }

  async create(db: Db): Promise<void> {
    const { columns, earlyIndexes = {} } = this.#shape;
    const table = db.schema
      .createTable(this.name)
      .addColumn('stream', 'text', (column) => column.primaryKey())
      .addColumn('revision', 'bigint', (column) => column.notNull());
    await withColumns(db, table, columns)
      .addColumn('view', 'text', (column) => column.notNull())
      .addColumn(CHECKSUM, 'bigint', (column) => column.notNull())
      .execute();
    await createIndexes(db, this.name, earlyIndexes);
    if (isPostgres(db)) await sql`alter table ${sql.table(this.name)} set (fillfactor = ${sql.lit(FILL_PERCENT)})`.execute(db);
    await this.#companion?.create(db);
    await this.#counters?.create(db);
  }

  async createIndexes(db: Db): Promise<void> {
    await createIndexes(db, this.name, this.#shape.indexes);
    await this.#companion?.createIndexes(db);
  }

  get gathered(): number {
    return this.#gathered.size;
  }

  async gather(db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<readonly Failure[]> {
    await this.#loadMissing(db, events, isParked);
    return foldEach(events, isParked, (event) => {
      const before = this.#remembered.get(event.stream);
      const after = foldOnto(this.#shape.fold, before, event);
      if (after === before) return;
      this.#remembered.set(event.stream, after);
      const gathered = this.#gathered.get(event.stream);
      const counts = this.#counters?.countsOf(before?.view, event) ?? [];
      if (gathered === undefined) this.#gathered.set(event.stream, { first: identityOf(event), newest: event, counts: [...counts] });
      else {
        gathered.newest = event;
        gathered.counts.push(...counts);
      }
    });
  }

  async flush(db: Connection): Promise<void> {
    const newest = [...this.#gathered.values()].map((gathered) => gathered.newest);
    // Sorted by key, so that a flush visits each index page once.
    newest.sort((a, b) => (a.stream < b.stream ? -1 : 1));
    for (let from = 0; from < newest.length; from += ROWS_AT_ONCE) await this.#write(db, newest.slice(from, from + ROWS_AT_ONCE));
    await this.#counters?.add(
      db,
      [...this.#gathered.values()].flatMap(({ counts }) => counts),
    );
  }

  committed(): void {
    for (const stream of this.#gathered.keys()) {
      const folded = this.#remembered.get(stream);
      if (folded !== undefined && this.#shape.isFinished(folded.view)) this.#remembered.delete(stream);
    }
    this.#gathered.clear();
    const limit = this.#isBuilding ? REMEMBERED_STREAMS_MAX_BUILDING : REMEMBERED_STREAMS_MAX;
    for (const stream of this.#remembered.keys()) {
      if (this.#remembered.size <= limit) break;
      this.#remembered.delete(stream);
    }
  }

  async flushApart(transact: Transact): Promise<readonly Failure[]> {
    const failures: Failure[] = [];
    for (const [stream, { first, newest, counts }] of this.#gathered) {
      try {
        await transact(async (db) => {
          await this.#write(db, [newest]);
          await this.#counters?.add(db, counts);
        });
      } catch (error) {
        if (!isDataFault(error)) throw error;
        this.#remembered.delete(stream);
        failures.push({ event: first, error });
      }
    }
    this.committed();
    return failures;
  }

  isIntact(row: object): boolean {
    return isIntact(row, this.#columns);
  }

  forget(): void {
    this.#remembered.clear();
    this.#gathered.clear();
  }

  async resume(db: Db, stream: StreamName, events: readonly BatchEvent[], fromRevision: bigint | undefined): Promise<Resumed> {
    let folded: Folded<View> | undefined;
    let newest: LogEvent | undefined;
    const counts: Count[] = [];
    const counted = this.#counters && fromRevision !== undefined ? await this.#countedBefore(db, stream, fromRevision) : undefined;
    const [failure] = foldEach(
      events,
      () => false,
      (event) => {
        const before = folded;
        folded = foldOnto(this.#shape.fold, before, event);
        newest = event;
        if (counted !== undefined && event.revision >= counted) counts.push(...(this.#counters?.countsOf(before?.view, event) ?? []));
      },
    );
    if (failure !== undefined) return { kind: 'failed', failure };
    // Deleted first, because an update does not set the fixed columns, which may be the corrupt ones.
    await this.#delete.run(db, [stream]);
    if (folded !== undefined && newest !== undefined) {
      await this.#upsert.run(db, [this.#rowOf(newest, folded)]);
      await this.#companion?.replace(db, this.#companion.rowOf(folded.view, newest.metadata.recordedAt, stream));
      await this.#counters?.add(db, counts);
    }
    this.#remembered.delete(stream);
    return { kind: 'applied' };
  }

  /** The first revision that is not in the counters. A failed repair parks a stream later than its row ends. */
  async #countedBefore(db: Db, stream: StreamName, parkedAt: bigint): Promise<bigint> {
    const [row] = await this.#select.run(db, [stream]);
    if (row === undefined) return 0n;
    return isIntact(row, this.#columns) ? BigInt(row.revision) + 1n : parkedAt;
  }

  async #write(db: Connection, newest: readonly LogEvent[]): Promise<void> {
    const companion = this.#companion;
    const rows: (readonly ColumnValue[])[] = [];
    const beside: (readonly ColumnValue[])[] = [];
    for (const event of newest) {
      const folded = this.#remembered.get(event.stream);
      if (folded === undefined) throw new Error(`${this.name}: a row was gathered and forgotten`);
      rows.push(this.#rowOf(event, folded));
      if (companion !== undefined) beside.push(companion.rowOf(folded.view, event.metadata.recordedAt, event.stream));
    }
    await this.#upsert.run(db, rows);
    await companion?.write(db, beside);
  }

  #rowOf({ stream, metadata }: LogEvent, { view, revision }: Folded<View>): readonly ColumnValue[] {
    const values = [stream, Number(revision), JSON.stringify(view), ...this.#valuesOf(view, metadata.recordedAt, stream)];
    values.push(rowChecksum(values));
    return values;
  }

  async #loadMissing(db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<void> {
    const begun = new Set<StreamName>();
    const unknown = new Map<StreamName, bigint>();
    for (const { stream, revision } of events) {
      if (begun.has(stream) || this.#remembered.has(stream) || unknown.has(stream)) continue;
      // Only this process writes a table that is being built, so a new stream has no row yet.
      if (this.#isBuilding && revision === 0n) begun.add(stream);
      else unknown.set(stream, revision);
    }
    const corrupt = new Set<StreamName>();
    for (const row of await this.#select.run(db, [...unknown.keys()])) {
      const stream = row.stream as StreamName;
      if (isIntact(row, this.#columns)) this.#remembered.set(stream, foldedOf<View>(row));
      else corrupt.add(stream);
    }
    for (const [stream, first] of unknown) {
      const isGone = first > 0n && !this.#remembered.has(stream);
      if ((isGone || corrupt.has(stream)) && !isParked(stream)) await this.#foldAgain(db, stream, first);
    }
  }

  async #foldAgain(db: Connection, stream: StreamName, before: bigint): Promise<void> {
    if (this.#log === undefined) return;
    this.#log.onCorrupt(stream);
    await this.#delete.run(db, [stream]);
    const events = await this.#log.before(stream, before);
    const folded = foldedFrom(this.#shape.fold, events);
    if (folded === undefined) return;
    this.#remembered.set(stream, folded);
    const newest = events.find((event) => event.isReadable && event.revision === folded.revision);
    if (newest?.isReadable === true) this.#gathered.set(stream, { first: identityOf(newest), newest, counts: [] });
  }
}

export const foldedOf = <View>(row: Pick<FoldedRow, 'view' | 'revision'>): Folded<View> => ({
  view: JSON.parse(row.view) as View,
  revision: BigInt(row.revision) as Revision,
});

export interface FoldedProjection<View, Row extends FoldedRow = FoldedRow> extends Projection {
  readonly fold: Fold<View>;
  /** Of a row, in the order of its checksum, which is not in the list. */
  readonly columns: readonly string[];
  readonly tableOf: (generation: number) => string;
  readonly from: (db: Db, generation: number) => SelectQueryBuilder<{ readonly rows: Row }, 'rows', object>;
  /** Selects whole rows. */
  readonly rows: (db: Db, generation: number) => SelectQueryBuilder<{ readonly rows: Row }, 'rows', Row>;
}

interface FoldedDescription<View, Own extends Columns<Given<View>>>
  extends Omit<FoldedShape<View>, 'fold' | 'columns'>, Pick<Projection, 'categories' | 'shape'> {
  /** The codecs of the categories must decode no other events than it takes. */
  readonly fold: (view: View | undefined, event: never) => View;
  /** Besides stream, revision, view and checksum. */
  readonly columns: Own;
}

export const foldedProjection = <View, const Own extends Columns<Given<View>>>(
  name: string,
  { categories, shape, fold, ...described }: FoldedDescription<View, Own>,
): FoldedProjection<View, FoldedRow & RowOf<Own>> => {
  type Row = FoldedRow & RowOf<Own>;
  const tableOf = tableNames(name);
  const folded: FoldedShape<View> = { ...described, fold: fold as Fold<View> };
  const columns = Object.keys({ ...FOLDED_COLUMNS, ...described.columns });
  const selected = [...columns, CHECKSUM] as unknown as readonly (keyof Row & string)[];
  const from = (db: Db, generation: number) =>
    (db as unknown as Kysely<{ readonly rows: Row }>).selectFrom(tableOf(generation) as 'rows') as SelectQueryBuilder<
      { readonly rows: Row },
      'rows',
      object
    >;
  return {
    name,
    categories,
    shape,
    fold: folded.fold,
    columns,
    tableOf,
    from,
    rows: (db, generation) => from(db, generation).select(selected) as unknown as SelectQueryBuilder<{ readonly rows: Row }, 'rows', Row>,
    table: (generation, isBuilding, log) => new FoldedTable(tableOf(generation), folded, isBuilding, log),
  };
};
