import type { Deadline, Scheduler, Secret } from '@app/kernel';
import type { BulkLoad } from '../rebuild/bulk-load';
import type { Db } from './tables';

/** Where the read models lie. Questions have connections of their own, so that a status never waits for a batch that is being written. */
export interface ReadModelDatabase {
  /** Batches, and a reactor's word on its work: short, and lost at worst with what is folded again. */
  readonly writes: Db;
  /** Who serves and who may write: statements may take long, and commits are durable. */
  readonly register: Db;
  readonly reads: Db;
  /** As `reads`, each question ended by the deadline and its connection given up; absent where a question is answered before anybody could. */
  readonly readsBy?: (deadline: Deadline) => Db;
  /** A writer of its own for what a rebuild writes; absent where writing is not this process's work anyway. */
  readonly bulkLoad?: () => Promise<BulkLoad>;
  /** Which of several processes projects; absent where no other process has the log's events (architecture, "Stores"). */
  readonly ownership?: (events: OwnershipEvents) => Ownership;
  /** Several processes take open work out of these tables. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

/** Held by one process; what it writes is fenced as well, for it may learn late that it holds it no more. */
export interface Ownership {
  /** Waits as long as it takes. @throws Error once it is released */
  acquire(): Promise<void>;
  /** For good. */
  release(): Promise<void>;
}

export interface OwnershipEvents {
  readonly onLost: (error: Error) => void;
  /** After every try; with an error where the database is away. */
  readonly onWaiting: (error: Error | undefined) => void;
}

/** A SQLite file, made where it is missing, or a PostgreSQL database (architecture, "Stores"). */
export type ReadModelPlace = { readonly path: string } | PostgresPlace;

export interface PostgresPlace {
  readonly url: Secret<string>;
  readonly scheduler: Scheduler;
}

/** The place that an address of the environment names. */
export const readModelPlace = (
  at: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'postgres'; readonly url: Secret<string> },
  scheduler: Scheduler,
): ReadModelPlace => (at.kind === 'file' ? { path: at.path } : { url: at.url, scheduler });
