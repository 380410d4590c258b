import type { StreamName } from '@app/event-store';
import type { BatchEvent } from './log-event';
import type { Failure } from './faults';
import type { Connection, Db } from './database/tables';

/** What a stream's taking up again came to. */
export type TakenUp = { readonly kind: 'applied' } | { readonly kind: 'failed'; readonly failure: Failure };

/** Runs the work in a transaction of its own. */
export type Transact = <Result>(work: (db: Db) => Promise<Result>) => Promise<Result>;

/** One generation of a projection's table. What is gathered lies in memory until it is flushed, in the transaction of the checkpoint. */
export interface ProjectionTable {
  readonly name: string;
  /** All that a generation is made of, `name` among them. */
  readonly tables: readonly string[];
  create(db: Db): Promise<void>;
  /** After a bulk load where there is one: sorting once is cheaper than finding each row its place. */
  createIndexes(db: Db): Promise<void>;
  /** Folds the events, in order, onto what the table holds. What cannot be folded is handed back, its stream left as it was before it. */
  gather(db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<readonly Failure[]>;
  /** Rows that wait to be written. */
  readonly gathered: number;
  /** Writes what was gathered. It is written again until `committed` says that the transaction was. */
  flush(db: Connection): Promise<void>;
  committed(): void;
  /** What `flush` and `committed` do, row by row: a row that the database refuses is handed back, and the others are written. */
  flushApart(transact: Transact): Promise<readonly Failure[]>;
  /** What was gathered and remembered, after a transaction that did not commit. */
  forget(): void;
  /** Folds a whole stream anew, as far as the checkpoint reaches; `fromRevision` is where it was parked. */
  takeUp(db: Db, stream: StreamName, events: readonly BatchEvent[], fromRevision: bigint): Promise<TakenUp>;
}

/** What a table's rows are held against. */
export interface TheLog {
  /** The stream's events before that revision, as the log has them. */
  before(stream: StreamName, revision: bigint): Promise<readonly BatchEvent[]>;
  /** A row of the stream was not what had been written. */
  onRotten(stream: StreamName): void;
}

/** A pure fold of some categories into a table of its own. */
export interface Projection {
  /** Names the projection in checkpoints, and its tables. */
  readonly name: string;
  readonly categories: readonly string[];
  /** Goes up with every change of the view or the table: older generations are built anew. */
  readonly shape: number;
  /** `isBuilding`: nobody else writes the table, and it began empty. */
  readonly table: (generation: number, isBuilding: boolean, log?: TheLog) => ProjectionTable;
}
