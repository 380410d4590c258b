import type { Deadline, Scheduler, Secret } from '@app/kernel';
import type { Partition } from '../projecting/partitions';
import type { Db } from './tables';

/** Queries have separate connections, so that a status never waits for a batch write. */
export interface ReadModelDatabase {
  /** For batches and changes of open work: short statements. Lost commits are repaired by projecting again. */
  readonly writes: Db;
  /**
   * For the projection registry (which generation serves, which process may write): long statements, durable commits.
   */
  readonly registry: Db;
  readonly reads: Db;
  /** As `reads`, but a query ends at the deadline and frees its connection; absent if queries are synchronous. */
  readonly readsBy?: (deadline: Deadline) => Db;
  readonly bulkLoad?: () => Promise<BulkLoad>;
  /** Decides which process projects a partition; absent if only one process can (architecture, "Stores"). */
  readonly ownership?: (events: OwnershipEvents, partition: Partition) => Ownership;
  readonly isShared: boolean;
  close(): Promise<void>;
}

export interface BulkStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Writes concurrently, in call order; writes may be lost until `drained` resolves. */
export interface BulkLoad {
  write(statement: BulkStatement): void;
  /**
   * Resolves when all writes are stored.
   * @throws Error if one failed
   */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The exclusive right to project a partition. Writes are also fenced, because a process may learn late that it lost the
 * right.
 */
export interface Ownership {
  /**
   * Waits without a limit.
   * @throws Error once it is released
   */
  acquire(): Promise<void>;
  /**
   * Checks the right after signs that another process acted.
   * @throws Error if it is lost, after the loss was reported
   */
  confirm(): Promise<void>;
  /** Permanent. */
  release(): Promise<void>;
}

export interface OwnershipEvents {
  readonly onLost: (error: Error) => void;
  readonly onWaiting: (error: Error | undefined) => void;
}

/** A SQLite file, created if it is missing, or a PostgreSQL database (architecture, "Stores"). */
export type ReadModelAddress = { readonly path: string } | PostgresAddress;

export interface PostgresAddress {
  readonly url: Secret<string>;
  readonly scheduler: Scheduler;
}

export const readModelPlace = (
  at: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'postgres'; readonly url: Secret<string> },
  scheduler: Scheduler,
): ReadModelAddress => (at.kind === 'file' ? { path: at.path } : { url: at.url, scheduler });
