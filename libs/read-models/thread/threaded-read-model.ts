import type { Clock } from '@app/kernel';
import { foldingFromLog, type LogTruth } from '../engine/fold-from-log';
import type { ReadModelDatabase } from '../engine/database/database';
import { sqliteReads } from '../engine/database/sqlite-database';
import { projectionsOf, readerOf } from '../local-read-model';
import { queriesOver } from '../read-model-queries';
import { ReadModel, rewritingOnce, type ReadModelParts } from '../read-model';
import { openWorkStoreWrittenBy } from '../work/open-work.store';
import type { OpenWorkDefinition } from '../work/open-work.table';
import { ProjectingThread, type ProjectingThreadSettings } from './projecting-thread';

export interface ThreadedReadModelSettings extends LogTruth {
  readonly clock: Clock;
  /** As the thread has them. */
  readonly openWork: readonly OpenWorkDefinition[];
}

class ThreadedReadModel extends ReadModel {
  readonly #closeReads: () => Promise<void>;

  constructor(parts: ReadModelParts, closeReads: () => Promise<void>) {
    super(parts);
    this.#closeReads = closeReads;
  }

  override async close(): Promise<void> {
    try {
      await this.release();
    } finally {
      // Before the one that writes, which then leaves one file without a write-ahead log; also where the thread is dead and cannot let go.
      await this.#closeReads();
    }
    await super.close();
  }
}

/** Read models that are asked here and written by a thread. */
export const readModelWrittenBy = (
  thread: ProjectingThread,
  { reads, close }: Pick<ReadModelDatabase, 'reads' | 'close'>,
  { clock, openWork, ...truth }: ThreadedReadModelSettings,
): ReadModel => {
  const projections = projectionsOf(openWork, clock);
  const reader = readerOf({ reads }, projections);
  const rewrite = rewritingOnce((row) => thread.rewrite(row));
  const parts: ReadModelParts = {
    database: { reads },
    log: truth.log,
    projections,
    reader,
    queries: queriesOver(reader, foldingFromLog(truth, rewrite)),
    projecting: thread,
    openWork: new Map(openWork.map(({ name }) => [name, openWorkStoreWrittenBy(thread, name, reader)])),
  };
  return new ThreadedReadModel(parts, close);
};

/**
 * Opens read models in a file, created where it is missing, with a thread that writes them.
 * @param path as the thread has it
 * @throws Error with the reason in one line
 */
export const openThreadedReadModel = async (
  path: string,
  settings: ThreadedReadModelSettings & ProjectingThreadSettings,
): Promise<ReadModel> => readModelWrittenBy(await ProjectingThread.open(settings), sqliteReads(path), settings);
