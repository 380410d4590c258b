import { sql } from 'kysely';
import type { StreamName, WorkChange, WorkItem } from '@app/event-store';
import { addMs, type Clock } from '@app/kernel';
import { createIndexes, createKeyed, rowMaker, typesOf, withColumns, type Columns, type RowOf } from '../engine/columns';
import { BulkDelete, BulkLower, BulkUpsert, isPostgres, type ColumnValue } from '../engine/rebuild/bulk-statements';
import { foldEach, isDataFault, type Failure } from '../engine/faults';
import type { BatchEvent, LogEvent } from '../engine/log-event';
import { tableNames, type Projection, type ProjectionTable, type Resumed, type Transact } from '../engine/projection';
import type { Connection, Db } from '../engine/database/tables';

type FoldWork = (event: LogEvent) => readonly WorkChange[];

/** A reactor's work table: its name, its categories, and how events open and close items (architecture, rule 9). */
export interface OpenWorkDefinition {
  /** `[a-z][a-z_]*`; part of the table's name. */
  readonly name: string;
  readonly categories: readonly string[];
  /** Increment it when `fold` opens or closes different items. */
  readonly shape: number;
  readonly fold: FoldWork;
}

const NAME = /^[a-z][a-z_]{0,30}$/;

export const openWorkProjectionName = (name: string): string => `open-work:${name}`;
export const openWorkTable = (name: string, generation: number): string => tableNames(openWorkProjectionName(name))(generation);
/** One row per lane, with a time never later than that of the lane's first item. */
export const lanesTable = (work: string): string => `${work}_lanes`;

export const ITEM_COLUMNS = {
  key: { type: 'text', isKey: true, of: ({ key }) => key },
  stream: { type: 'text', of: ({ stream }) => stream },
  task: { type: 'text', of: ({ task }) => task },
  due_at: { type: 'bigint', of: ({ dueAt }) => dueAt },
  merchant: { type: 'text', of: ({ merchant }) => merchant },
  lane: { type: 'text', of: ({ lane }) => lane },
} as const satisfies Columns<[item: WorkItem]>;
const LANE_COLUMNS = { lane: { ...ITEM_COLUMNS.lane, isKey: true }, due_at: ITEM_COLUMNS.due_at } as const;

export type OpenWorkRow = RowOf<typeof ITEM_COLUMNS>;
export type LaneRow = Pick<OpenWorkRow, 'lane' | 'due_at'>;

const rowOf = rowMaker<[item: WorkItem]>(ITEM_COLUMNS);

/** Items change at the front of their lane's index, where dead entries slow reads until a vacuum. */
const VACUUM_SOON = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000';

/** Limit on keys remembered during a build. Beyond it, every closed item is deleted, written or not. */
const WRITTEN_KEYS_MAX = 500_000;

interface Change {
  readonly item: WorkItem | undefined;
  readonly event: BatchEvent;
}

class OpenWorkTable implements ProjectionTable {
  readonly name: string;
  readonly key = 'key';
  readonly tables: readonly string[];
  readonly #fold: FoldWork;
  readonly #clock: Clock;
  readonly #upsert: BulkUpsert;
  readonly #delete: BulkDelete;
  readonly #lanes: BulkLower;
  readonly #changes = new Map<string, Change>();
  /** Keys in the table while it has no other writer; otherwise undefined. */
  #written: Set<string> | undefined;

  constructor(name: string, fold: FoldWork, clock: Clock, isBuilding: boolean) {
    this.name = name;
    this.tables = [name, lanesTable(name)];
    this.#fold = fold;
    this.#clock = clock;
    this.#written = isBuilding ? new Set() : undefined;
    this.#upsert = new BulkUpsert(name, 'key', typesOf(ITEM_COLUMNS));
    this.#delete = new BulkDelete(name, 'key');
    this.#lanes = new BulkLower(lanesTable(name), 'lane', 'due_at');
  }

  async create(db: Db): Promise<void> {
    const lanes = lanesTable(this.name);
    await createKeyed(db, withColumns(db, db.schema.createTable(this.name), ITEM_COLUMNS));
    await createKeyed(db, withColumns(db, db.schema.createTable(lanes), LANE_COLUMNS));
    if (isPostgres(db)) await sql`alter table ${sql.table(this.name)} set (${sql.raw(VACUUM_SOON)})`.execute(db);
    await db.schema.createIndex(`${this.name}_turns`).on(lanes).columns(['due_at', 'lane']).execute();
  }

  createIndexes(db: Db): Promise<void> {
    return createIndexes(db, this.name, { first: { on: ['lane', 'due_at', 'key'] } });
  }

  get gathered(): number {
    return this.#changes.size;
  }

  gather(_db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<readonly Failure[]> {
    const failures = foldEach(events, isParked, (event) => {
      for (const change of this.#fold(event)) {
        if (change.kind === 'due') this.#changes.set(change.item.key, { item: this.#dueInTime(change.item, event), event });
        else if (this.#written?.has(change.key) === false) this.#changes.delete(change.key);
        else this.#changes.set(change.key, { item: undefined, event });
      }
    });
    return Promise.resolve(failures);
  }

  flush(db: Connection): Promise<void> {
    return this.#write(db, this.#changes);
  }

  committed(): void {
    for (const [key, { item }] of this.#changes) {
      if (item === undefined) this.#written?.delete(key);
      else this.#written?.add(key);
    }
    if ((this.#written?.size ?? 0) > WRITTEN_KEYS_MAX) this.#written = undefined;
    this.#changes.clear();
  }

  async flushApart(transact: Transact): Promise<readonly Failure[]> {
    const failures: Failure[] = [];
    for (const [key, change] of this.#changes) {
      try {
        await transact((db) => this.#write(db, [[key, change]]));
      } catch (error) {
        if (!isDataFault(error)) throw error;
        failures.push({ event: change.event, error });
      }
    }
    this.committed();
    return failures;
  }

  isIntact(): boolean {
    return true;
  }

  forget(): void {
    this.#changes.clear();
  }

  /** Starts at the parked event: earlier work items of the stream may be finished, also through other streams. */
  async resume(db: Db, _stream: StreamName, events: readonly BatchEvent[], fromRevision = 0n): Promise<Resumed> {
    const again = new OpenWorkTable(this.name, this.#fold, this.#clock, false);
    const [failure] = await again.gather(
      db,
      events.filter(({ revision }) => revision >= fromRevision),
      () => false,
    );
    if (failure !== undefined) return { kind: 'failed', failure };
    await again.flush(db);
    return { kind: 'applied' };
  }

  /**
   * Limits an item's delay to the intended one, counted from now. Otherwise an event recorded before a clock correction
   * could delay it too long.
   */
  #dueInTime(item: WorkItem, { metadata: { recordedAt } }: LogEvent): WorkItem {
    const now = this.#clock.now();
    return recordedAt <= now ? item : { ...item, dueAt: addMs(now, Math.max(0, item.dueAt - recordedAt)) };
  }

  async #write(db: Connection, changes: Iterable<readonly [string, Change]>): Promise<void> {
    const closed: string[] = [];
    const rows: (readonly ColumnValue[])[] = [];
    const lanes = new Map<string, number>();
    for (const [key, { item }] of changes) {
      if (item === undefined) closed.push(key);
      else {
        rows.push(rowOf(item));
        lanes.set(item.lane, Math.min(item.dueAt, lanes.get(item.lane) ?? Infinity));
      }
    }
    await this.#delete.run(db, closed);
    await this.#upsert.run(db, rows);
    // Write lanes after their items, so that a process that updates a lane's due time waits for the items.
    await this.#lanes.run(db, lanes);
  }
}

/** Added to the definition's shape, so that a change of either raises the sum. */
const TABLE_SHAPE = 2;

/** @throws Error for a name that no table can have */
export const openWorkProjection = ({ name, categories, shape, fold }: OpenWorkDefinition, clock: Clock): Projection => {
  if (!NAME.test(name)) throw new Error(`open work cannot be named ${JSON.stringify(name)}`);
  return {
    name: openWorkProjectionName(name),
    categories,
    shape: TABLE_SHAPE + shape,
    table: (generation, isBuilding) => new OpenWorkTable(openWorkTable(name, generation), fold, clock, isBuilding),
  };
};
