import { assertDurable, type Database } from './database';
import type { Failure, Outcome, WorkerSettings } from './grouped-write.messages';

/** Applies one job inside the open transaction. A refusal is a result; it throws only where nothing of the job may stay. */
export type ApplyJob<Job, Result> = (job: Job) => Result;

export const failureOf = (error: unknown): Failure => ({
  message: error instanceof Error ? error.message : String(error),
  errcode: (error as { errcode?: number }).errcode,
});

const SQLITE_IOERR = 10;
const isDiskError = ({ errcode }: Failure): boolean => errcode !== undefined && (errcode & 0xff) === SQLITE_IOERR;

/** Commits several jobs in one transaction, and each alone where one of them fails, so that a failure is that of its own job. */
export class GroupCommit<Job, Result> {
  readonly #db: Database;
  readonly #settings: Pick<WorkerSettings, 'path' | 'durability' | 'commitDelayMs'>;
  readonly #apply: ApplyJob<Job, Result>;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  readonly #delay = new Int32Array(new SharedArrayBuffer(4));
  #isFirst = true;

  constructor(db: Database, settings: Pick<WorkerSettings, 'path' | 'durability' | 'commitDelayMs'>, apply: ApplyJob<Job, Result>) {
    this.#db = db;
    this.#settings = settings;
    this.#apply = apply;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
  }

  /** One outcome for each job, in their order. */
  applyTogether(jobs: readonly Job[]): readonly Outcome[] {
    try {
      return this.#commitAll(jobs);
    } catch (error) {
      const failure = failureOf(error);
      // After a failed write-back nobody knows what the disk holds: a second try could answer for pages that were dropped.
      if (jobs.length === 1 || isDiskError(failure)) return jobs.map(() => ({ ok: false, failure }));
      return jobs.flatMap((job) => this.applyTogether([job]));
    }
  }

  #commitAll(jobs: readonly Job[]): readonly Outcome[] {
    const { commitDelayMs, durability, path } = this.#settings;
    this.#begin.run();
    try {
      const outcomes = jobs.map((job): Outcome => ({ ok: true, result: this.#apply(job) }));
      this.#commit.run();
      if (commitDelayMs > 0) Atomics.wait(this.#delay, 0, 0, commitDelayMs);
      if (this.#isFirst && durability === 'every-commit') assertDurable(this.#db, path);
      this.#isFirst = false;
      return outcomes;
    } catch (error) {
      if (this.#db.isTransaction) this.#rollback.run();
      throw error;
    }
  }
}
