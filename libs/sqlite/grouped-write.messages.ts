import type { OpenOptions } from './database';

/** What passes between the writer and its thread; jobs and results are structured-cloned. */
export interface WorkerSettings {
  readonly path: string;
  readonly secureDelete: boolean;
  readonly durability: NonNullable<OpenOptions['durability']>;
  readonly autoCheckpointPages: number | undefined;
  /** Most jobs of one transaction. 1 is a transaction a job: for measuring what grouping is worth. */
  readonly groupJobsMax: number;
  /** Added to each commit: for measuring what a slower disk costs. */
  readonly commitDelayMs: number;
  readonly pagesMax: number | undefined;
}

export type ToWorker = { readonly kind: 'jobs'; readonly first: number; readonly jobs: readonly unknown[] } | { readonly kind: 'close' };

export type Outcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly failure: Failure };

export interface Failure {
  readonly message: string;
  /** SQLite's extended result code, where it has one. */
  readonly errcode: number | undefined;
}

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'done'; readonly first: number; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'closed' };
