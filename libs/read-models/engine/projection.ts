import type { StreamName } from '@app/event-store';
import type { BatchEvent } from './log-event';
import type { Failure } from './faults';
import type { Connection, Db } from './database/tables';

export type Resumed = { readonly kind: 'applied' } | { readonly kind: 'failed'; readonly failure: Failure };

export type Transact = <Result>(work: (db: Db) => Promise<Result>) => Promise<Result>;

/**
 * One generation of a projection's table. Changes stay in memory until they are flushed in the checkpoint's
 * transaction.
 */
export interface ProjectionTable {
  readonly name: string;
  readonly key: 'key' | 'stream';
  readonly tables: readonly string[];
  create(db: Db): Promise<void>;
  /** Called after a bulk load, because building an index at once is cheaper than updating it for each row. */
  createIndexes(db: Db): Promise<void>;
  gather(db: Connection, events: readonly BatchEvent[], isParked: (stream: StreamName) => boolean): Promise<readonly Failure[]>;
  readonly gathered: number;
  /** Writes the gathered changes. Until `committed` is called, each call writes them again. */
  flush(db: Connection): Promise<void>;
  committed(): void;
  flushApart(transact: Transact): Promise<readonly Failure[]>;
  forget(): void;
  isIntact(row: object): boolean;
  /**
   * Rebuilds one stream up to the checkpoint.
   * @param fromRevision the revision at which it was parked; undefined if its row is corrupt
   */
  resume(db: Db, stream: StreamName, events: readonly BatchEvent[], fromRevision: bigint | undefined): Promise<Resumed>;
}

export interface RowSource {
  before(stream: StreamName, revision: bigint): Promise<readonly BatchEvent[]>;
  onCorrupt(stream: StreamName): void;
}

export interface Projection {
  readonly name: string;
  readonly categories: readonly string[];
  readonly shape: number;
  readonly table: (generation: number, isBuilding: boolean, log?: RowSource) => ProjectionTable;
}

export const tableNames = (projection: string): ((generation: number) => string) => {
  const prefix = projection.replaceAll(/[-:]/g, '_');
  return (generation) => `${prefix}_g${generation}`;
};
