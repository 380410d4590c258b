import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { closeDatabase, openDatabase, type Database, assertDurable } from './database';
import type { FromWorker, Outcome, ToWorker, WorkerSettings, Failure } from './grouped-write.messages';

/** Applies one job inside the open transaction. A refusal is a result; it throws only if the job must be rolled back. */
type ApplyJob<Job, Result> = (job: Job) => Result;

const failureOf = (error: unknown): Failure => ({
  message: error instanceof Error ? error.message : String(error),
  errcode: (error as { errcode?: number }).errcode,
});

const SQLITE_IOERR = 10;
const isDiskError = ({ errcode }: Failure): boolean => errcode !== undefined && (errcode & 0xff) === SQLITE_IOERR;

/** Commits several jobs in one transaction. If one fails, each is committed separately, so that only that job fails. */
class GroupCommit<Job, Result> {
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

  applyTogether(jobs: readonly Job[]): readonly Outcome[] {
    try {
      return this.#commitAll(jobs);
    } catch (error) {
      const failure = failureOf(error);
      // After a failed write-back the disk's content is unknown. A second attempt could confirm pages that were dropped.
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

/**
 * The writer's side of a `GroupedWriter`, called once by a `*.worker.ts`. It commits together all jobs that arrived during the last commit,
 * and responds only after the commit.
 */
export const serveGroupedWrites = <Job, Result>(open: (db: Database, path: string) => ApplyJob<Job, Result>): void => {
  const port = parentPort;
  if (port === null) throw new Error('runs in a worker thread only');
  const settings = workerData as WorkerSettings;
  const send = (message: FromWorker): void => port.postMessage(message);
  let db: Database;
  let group: GroupCommit<Job, Result>;
  try {
    const { path, secureDelete, durability, autoCheckpointPages, pagesMax } = settings;
    db = openDatabase(path, {
      secureDelete,
      durability,
      ...(autoCheckpointPages !== undefined && { autoCheckpointPages }),
      ...(pagesMax !== undefined && { pagesMax }),
    });
    group = new GroupCommit(db, settings, open(db, path));
  } catch (error) {
    send({ kind: 'refused', failure: failureOf(error) });
    port.close();
    return;
  }

  const handle = (first: number, jobs: readonly unknown[]): void => {
    const outcomes: Outcome[] = [];
    for (let from = 0; from < jobs.length; from += settings.groupJobsMax) {
      outcomes.push(...group.applyTogether(jobs.slice(from, from + settings.groupJobsMax) as readonly Job[]));
    }
    send({ kind: 'done', first, outcomes });
  };

  port.on('message', (message: ToWorker) => {
    let next: ToWorker | undefined = message;
    while (next !== undefined) {
      if (next.kind === 'close') {
        closeDatabase(db);
        send({ kind: 'closed' });
        port.close();
        return;
      }
      const jobs = [...next.jobs];
      const { first }: { first: number } = next;
      next = undefined;
      while (jobs.length < settings.groupJobsMax) {
        const waiting = receiveMessageOnPort(port) as { message: ToWorker } | undefined;
        if (waiting === undefined) break;
        if (waiting.message.kind === 'close') {
          next = waiting.message;
          break;
        }
        jobs.push(...waiting.message.jobs);
      }
      handle(first, jobs);
    }
  });
  send({ kind: 'ready' });
};
