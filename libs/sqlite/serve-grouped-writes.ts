import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { assertDurable, closeDatabase, openDatabase, type Database } from './database';
import type { Failure, FromWorker, Outcome, ToWorker, WorkerSettings } from './grouped-write.messages';

/** Applies one job inside the open transaction. A refusal is a result; it throws only where nothing of the job may stay. */
export type ApplyJob<Job, Result> = (job: Job) => Result;

const failureOf = (error: unknown): Failure => ({
  message: error instanceof Error ? error.message : String(error),
  errcode: (error as { errcode?: number }).errcode,
});

const SQLITE_IOERR = 10;
const isDiskError = ({ errcode }: Failure): boolean => errcode !== undefined && (errcode & 0xff) === SQLITE_IOERR;

/**
 * The writer's side of a `GroupedWriter`, called once by a `*.worker.ts`: commits together what arrived while the last commit ran.
 * An answer leaves only after the commit that holds its job.
 */
export const serveGroupedWrites = <Job, Result>(open: (db: Database, path: string) => ApplyJob<Job, Result>): void => {
  const port = parentPort;
  if (port === null) throw new Error('runs in a worker thread only');
  const settings = workerData as WorkerSettings;
  const send = (message: FromWorker): void => port.postMessage(message);
  let db: Database;
  let apply: ApplyJob<Job, Result>;
  try {
    const { path, secureDelete, durability, autoCheckpointPages, pagesMax } = settings;
    db = openDatabase(path, {
      secureDelete,
      durability,
      ...(autoCheckpointPages !== undefined && { autoCheckpointPages }),
      ...(pagesMax !== undefined && { pagesMax }),
    });
    apply = open(db, settings.path);
  } catch (error) {
    send({ kind: 'refused', failure: failureOf(error) });
    port.close();
    return;
  }
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const delay = new Int32Array(new SharedArrayBuffer(4));
  let isFirstCommit = true;

  const commitAll = (jobs: readonly Job[]): readonly Outcome[] => {
    begin.run();
    try {
      const outcomes = jobs.map((job): Outcome => ({ ok: true, result: apply(job) }));
      commit.run();
      if (settings.commitDelayMs > 0) Atomics.wait(delay, 0, 0, settings.commitDelayMs);
      if (isFirstCommit && settings.durability === 'every-commit') assertDurable(db, settings.path);
      isFirstCommit = false;
      return outcomes;
    } catch (error) {
      if (db.isTransaction) rollback.run();
      throw error;
    }
  };

  const applyTogether = (jobs: readonly Job[]): readonly Outcome[] => {
    try {
      return commitAll(jobs);
    } catch (error) {
      const failure = failureOf(error);
      // After a failed write-back nobody knows what the disk holds: a second try could answer for pages that were dropped.
      if (jobs.length === 1 || isDiskError(failure)) return jobs.map(() => ({ ok: false, failure }));
      return jobs.flatMap((job) => applyTogether([job]));
    }
  };

  const handle = (first: number, jobs: readonly unknown[]): void => {
    const outcomes: Outcome[] = [];
    for (let from = 0; from < jobs.length; from += settings.groupJobsMax) {
      outcomes.push(...applyTogether(jobs.slice(from, from + settings.groupJobsMax) as readonly Job[]));
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
