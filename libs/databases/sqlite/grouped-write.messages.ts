import type { OpenOptions } from './database';

export interface WorkerSettings {
  readonly path: string;
  readonly secureDelete: boolean;
  readonly durability: NonNullable<OpenOptions['durability']>;
  readonly autoCheckpointPages: number | undefined;
  /** Maximum of jobs per transaction; 1 disables grouping for measurements. */
  readonly groupJobsMax: number;
  readonly commitDelayMs: number;
  readonly pagesMax: number | undefined;
}

export type ToWorker = { readonly kind: 'jobs'; readonly first: number; readonly jobs: readonly unknown[] } | { readonly kind: 'close' };

export type Outcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly failure: Failure };

export interface Failure {
  readonly message: string;
  readonly errcode: number | undefined;
}

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'done'; readonly first: number; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'closed' };
