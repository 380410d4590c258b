import type { Deadline, Scheduler, Secret } from '@app/kernel';
import type { Partition } from '../projecting/partitions';
import type { Db } from './tables';

/** The database of the read models. Queries have their own connections, so that a status never waits for a batch that is being written. */
export interface ReadModelDatabase {
  /** For batches and for changes of open work: short statements, whose loss is repaired by folding again. */
  readonly writes: Db;
  /** For the projection registry (which generation serves, which process may write): long statements, durable commits. */
  readonly registry: Db;
  readonly reads: Db;
  /** As `reads`, but a query ends at the deadline and frees its connection; absent where queries are synchronous. */
  readonly readsBy?: (deadline: Deadline) => Db;
  /** Opens a separate writer for a rebuild; absent where one would write no faster, and where this process does not write. */
  readonly bulkLoad?: () => Promise<BulkLoad>;
  /** Decides which of several processes projects a partition; absent where only one process can (architecture, "Stores"). */
  readonly ownership?: (events: OwnershipEvents, partition: Partition) => Ownership;
  /** Whether several processes take open work from these tables. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

interface BulkStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Writes concurrently with the calling thread, in the order of the calls; writes may be lost until `drained` resolves. */
export interface BulkLoad {
  write(statement: BulkStatement): void;
  /** Resolves when all writes are stored. @throws Error where one failed */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/** The right to project a partition, held by one process. Its writes are fenced as well, because it may learn late that it lost the right. */
export interface Ownership {
  /** Waits without a limit. @throws Error once it is released */
  acquire(): Promise<void>;
  /** Asks whether it is still held, where another process has acted as if it were not. @throws Error where it is lost, which was reported by then */
  confirm(): Promise<void>;
  /** Gives the right up for good. */
  release(): Promise<void>;
}

export interface OwnershipEvents {
  readonly onLost: (error: Error) => void;
  /** Called after every failed try, with an error where the database is unavailable. */
  readonly onWaiting: (error: Error | undefined) => void;
}

/** A SQLite file, created where it is missing, or a PostgreSQL database (architecture, "Stores"). */
export type ReadModelAddress = { readonly path: string } | PostgresAddress;

export interface PostgresAddress {
  readonly url: Secret<string>;
  readonly scheduler: Scheduler;
}

/** The place that an address of the environment names. */
export const readModelPlace = (
  at: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'postgres'; readonly url: Secret<string> },
  scheduler: Scheduler,
): ReadModelAddress => (at.kind === 'file' ? { path: at.path } : { url: at.url, scheduler });
