import type { Revision, StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { sql } from 'kysely';
import { BulkDelete, BulkSelect, BulkUpsert, isPostgres, type Columns, type ColumnValue } from './rebuild/bulk-statements';
import { CannotApply, foldEach, isDataFault, type Failure } from './faults';
import type { BatchEvent, LogEvent } from './log-event';
import type { ProjectionTable, TakenUp, TheLog, Transact } from './projection';
import { CHECKSUM, isSound, rowChecksum } from './row-checksum';
import type { Connection, Db, FoldedRow } from './database/tables';

/** A view and the newest event in it. */
export interface Folded<View> {
  readonly view: View;
  readonly revision: Revision;
}

export type Fold<View, Event extends LogEvent = LogEvent> = (view: View | undefined, event: Event) => View;

/**
 * One event onto what was folded before; an event that is in it already changes nothing.
 * @throws CannotApply where an event is missing between
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

/** As far as the events can be folded: a stream that is parked has a row up to there. */
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

/** How a view lies in its table: beside stream, revision and the view as JSON, what it is found by. */
export interface FoldedShape<View> {
  readonly fold: Fold<View>;
  /** Little or nothing is to come: its row need not stay in memory. */
  readonly isSettled: (view: View) => boolean;
  readonly columns: Columns;
  /** Columns whose value the stream's first event gives for good: SQLite writes an index anew whose columns a statement sets, to whatever value. */
  readonly fixed: readonly string[];
  /** `recordedAt` is that of the newest event. */
  readonly valuesOf: (view: View, recordedAt: Instant) => readonly ColumnValue[];
  readonly create: (db: Db, table: string) => Promise<void>;
  readonly index: (db: Db, table: string) => Promise<void>;
}

/** Streams that stay in memory between two batches; the oldest leave first. */
const REMEMBERED_STREAMS_MAX = 4_096;
/** Made into text together: a flush of many rows would else hold them all twice. */
const ROWS_AT_ONCE = 1_024;
const REMEMBERED_STREAMS_MAX_BUILDING = 20_000;

/** What of a stream is not written yet: where it begins, and its newest event. */
interface Gathered {
  readonly first: Failure['event'];
  newest: LogEvent;
}

/** Not the event itself: its data would stay in memory with it. */
const placeOf = ({ stream, revision, id }: LogEvent): Failure['event'] => ({ stream, revision, id });

/** A row is written anew with each step of its stream: where its page has room for the next version, PostgreSQL leaves the indexes alone. */
const FILL_PERCENT = 70;
const FOLDED_COLUMNS = { stream: 'text', revision: 'bigint', view: 'text' } as const satisfies Columns;

/** Every column of a folded row, in the order in which its checksum goes over them; the checksum last. */
export const foldedColumns = <Own extends Columns>(own: Own): readonly (keyof typeof FOLDED_COLUMNS | keyof Own | typeof CHECKSUM)[] => [
  ...(Object.keys(FOLDED_COLUMNS) as (keyof typeof FOLDED_COLUMNS)[]),
  ...Object.keys(own),
  CHECKSUM,
];

/** One row a stream: loaded together, folded in memory, written once a flush. */
export class FoldedTable<View> implements ProjectionTable {
  readonly name: string;
  readonly tables: readonly string[];
  readonly #shape: FoldedShape<View>;
  readonly #isBuilding: boolean;
  readonly #log: TheLog | undefined;
  readonly #columns: readonly string[];
  readonly #remembered = new Map<StreamName, Folded<View>>();
  readonly #gathered = new Map<StreamName, Gathered>();
  readonly #select: BulkSelect<FoldedRow>;
  readonly #upsert: BulkUpsert;
  readonly #delete: BulkDelete;

  constructor(name: string, shape: FoldedShape<View>, isBuilding: boolean, log?: TheLog) {
    this.name = name;
    this.tables = [name];
    this.#shape = shape;
    this.#isBuilding = isBuilding;
    this.#log = log;
    this.#columns = [...Object.keys(FOLDED_COLUMNS), ...Object.keys(shape.columns)];
    this.#select = new BulkSelect(name, 'stream', foldedColumns(shape.columns));
    this.#upsert = new BulkUpsert(name, 'stream', { ...FOLDED_COLUMNS, ...shape.columns, [CHECKSUM]: 'bigint' }, shape.fixed);
    this.#delete = new BulkDelete(name, 'stream');
  }

  async create(db: Db): Promise<void> {
    await this.#shape.create(db, this.name);
    if (isPostgres(db)) await sql`alter table ${sql.table(this.name)} set (fillfactor = ${sql.lit(FILL_PERCENT)})`.execute(db);
  }

  createIndexes(db: Db): Promise<void> {
    return this.#shape.index(db, this.name);
  }

  get gathered(): number {
    return this.#gathered.size;
  }

  async gather(db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<readonly Failure[]> {
    await this.#recall(db, events, isParked);
    return foldEach(events, isParked, (event) => {
      const before = this.#remembered.get(event.stream);
      const after = foldOnto(this.#shape.fold, before, event);
      if (after === before) return;
      this.#remembered.set(event.stream, after);
      const gathered = this.#gathered.get(event.stream);
      if (gathered === undefined) this.#gathered.set(event.stream, { first: placeOf(event), newest: event });
      else gathered.newest = event;
    });
  }

  async flush(db: Connection): Promise<void> {
    const newest = [...this.#gathered.values()].map((gathered) => gathered.newest);
    // In the order of their key: each page of its index is visited once a flush, and not once a row.
    newest.sort((a, b) => (a.stream < b.stream ? -1 : 1));
    for (let from = 0; from < newest.length; from += ROWS_AT_ONCE) {
      await this.#upsert.run(
        db,
        newest.slice(from, from + ROWS_AT_ONCE).map((event) => this.#gatheredRow(event)),
      );
    }
  }

  committed(): void {
    for (const stream of this.#gathered.keys()) {
      const folded = this.#remembered.get(stream);
      if (folded !== undefined && this.#shape.isSettled(folded.view)) this.#remembered.delete(stream);
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
    for (const [stream, { first, newest }] of this.#gathered) {
      try {
        await transact((db) => this.#upsert.run(db, [this.#gatheredRow(newest)]));
      } catch (error) {
        if (!isDataFault(error)) throw error;
        this.#remembered.delete(stream);
        failures.push({ event: first, error });
      }
    }
    this.committed();
    return failures;
  }

  forget(): void {
    this.#remembered.clear();
    this.#gathered.clear();
  }

  async takeUp(db: Db, stream: StreamName, events: readonly BatchEvent[]): Promise<TakenUp> {
    let folded: Folded<View> | undefined;
    let newest: LogEvent | undefined;
    const [failure] = foldEach(
      events,
      () => false,
      (event) => {
        folded = foldOnto(this.#shape.fold, folded, event);
        newest = event;
      },
    );
    if (failure !== undefined) return { kind: 'failed', failure };
    // What is fixed in a row is not set by an update, and may be what rotted.
    await this.#delete.run(db, [stream]);
    if (folded !== undefined && newest !== undefined) await this.#upsert.run(db, [this.#rowOf(newest, folded)]);
    this.#remembered.delete(stream);
    return { kind: 'applied' };
  }

  #gatheredRow(newest: LogEvent): readonly ColumnValue[] {
    const folded = this.#remembered.get(newest.stream);
    if (folded === undefined) throw new Error(`${this.name}: a row was gathered and forgotten`);
    return this.#rowOf(newest, folded);
  }

  #rowOf({ stream, metadata }: LogEvent, { view, revision }: Folded<View>): readonly ColumnValue[] {
    const values = [stream, Number(revision), JSON.stringify(view), ...this.#shape.valuesOf(view, metadata.recordedAt)];
    values.push(rowChecksum(values));
    return values;
  }

  async #recall(db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<void> {
    const begun = new Set<StreamName>();
    /** By the first of its events that comes now. */
    const unknown = new Map<StreamName, bigint>();
    for (const { stream, revision } of events) {
      if (begun.has(stream) || this.#remembered.has(stream) || unknown.has(stream)) continue;
      // Nobody else writes a table that is being built: a stream that begins now cannot be in it.
      if (this.#isBuilding && revision === 0n) begun.add(stream);
      else unknown.set(stream, revision);
    }
    const rotten = new Set<StreamName>();
    for (const row of await this.#select.run(db, [...unknown.keys()])) {
      const stream = row.stream as StreamName;
      if (isSound(row, this.#columns)) this.#remembered.set(stream, foldedOf<View>(row));
      else rotten.add(stream);
    }
    for (const [stream, first] of unknown) {
      const isGone = first > 0n && !this.#remembered.has(stream);
      if ((isGone || rotten.has(stream)) && !isParked(stream)) await this.#foldAnew(db, stream, first);
    }
  }

  /** What came before is as the log has it, and not as its row, which is written whole. */
  async #foldAnew(db: Connection, stream: StreamName, before: bigint): Promise<void> {
    if (this.#log === undefined) return;
    this.#log.onRotten(stream);
    await this.#delete.run(db, [stream]);
    const events = await this.#log.before(stream, before);
    const folded = foldedFrom(this.#shape.fold, events);
    if (folded === undefined) return;
    this.#remembered.set(stream, folded);
    const newest = events.find((event) => event.isReadable && event.revision === folded.revision);
    if (newest?.isReadable === true) this.#gathered.set(stream, { first: placeOf(newest), newest });
  }
}

export const foldedOf = <View>(row: Pick<FoldedRow, 'view' | 'revision'>): Folded<View> => ({
  view: JSON.parse(row.view) as View,
  revision: BigInt(row.revision) as Revision,
});
