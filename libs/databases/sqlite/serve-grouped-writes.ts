import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { closeDatabase, openDatabase, type Database } from './database';
import { failureOf, GroupCommit, type ApplyJob } from './group-commit';
import type { FromWorker, Outcome, ToWorker, WorkerSettings } from './grouped-write.messages';

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
