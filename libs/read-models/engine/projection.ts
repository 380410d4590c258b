import type { StreamName } from '@app/event-store';
import type { BatchEvent } from './log-event';
import type { Failure } from './faults';
import type { Connection, Db } from './database/tables';

/** The result of resuming a parked stream. */
export type Resumed = { readonly kind: 'applied' } | { readonly kind: 'failed'; readonly failure: Failure };

/** Runs the work in its own transaction. */
export type Transact = <Result>(work: (db: Db) => Promise<Result>) => Promise<Result>;

/** One generation of a projection's table. Changes are gathered in memory until they are flushed, in the transaction of the checkpoint. */
export interface ProjectionTable {
  readonly name: string;
  /** The column that identifies a row. */
  readonly key: 'key' | 'stream';
  /** All tables of the generation, including `name`. */
  readonly tables: readonly string[];
  create(db: Db): Promise<void>;
  /** Called after a bulk load where there is one, because building an index at once is cheaper than maintaining it row by row. */
  createIndexes(db: Db): Promise<void>;
  /** Folds the events in order onto the table's content. Returns those that cannot be folded, with their streams unchanged from there on. */
  gather(db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<readonly Failure[]>;
  /** Count of rows that wait to be written. */
  readonly gathered: number;
  /** Writes the gathered changes, again on each call until `committed`. */
  flush(db: Connection): Promise<void>;
  committed(): void;
  /** As `flush` and `committed`, but row by row: returns the rows that the database refuses, and writes the others. */
  flushApart(transact: Transact): Promise<readonly Failure[]>;
  /** Drops all gathered and cached state after a transaction that did not commit. */
  forget(): void;
  /** Whether a row, as it was read, fits its checksum, where the table has one. */
  isIntact(row: object): boolean;
  /** Folds a whole stream anew up to the checkpoint. @param fromRevision the revision at which it was parked */
  resume(db: Db, stream: StreamName, events: readonly BatchEvent[], fromRevision: bigint): Promise<Resumed>;
}

/** The log behind a table's rows. */
export interface RowSource {
  /** The stream's events before that revision. */
  before(stream: StreamName, revision: bigint): Promise<readonly BatchEvent[]>;
  /** Called when the stream's row is corrupt. */
  onCorrupt(stream: StreamName): void;
}

/** A pure fold of some categories into a table of its own. */
export interface Projection {
  /** Name in checkpoints, and prefix of the tables. */
  readonly name: string;
  readonly categories: readonly string[];
  /** Incremented with every change of view or table, so that older generations are rebuilt. */
  readonly shape: number;
  /** @param isBuilding the table began empty and has no other writer */
  readonly table: (generation: number, isBuilding: boolean, log?: RowSource) => ProjectionTable;
}
