import type { MessagePort, Worker } from 'node:worker_threads';
import { flatEvents, StoreUnavailable, type Position, type StoredEvent, type StreamName } from '@app/event-store';
import { startDatabaseThread } from '@app/databases/sqlite';
import type { Clock } from '@app/kernel';
import { type CorruptRow, foldingFromLog, type LogTruth } from '../engine/project-from-log';
import type { Projecting, ProjectingListener } from '../engine/projecting/projecting';
import type { StreamRebuilt } from '../engine/projecting/stream-repair';
import type { Rebuilt } from '../engine/rebuild/rebuilds';
import {
  errorOf,
  thrownOf,
  type FromProjecting,
  type ProjectingCalls,
  type ProjectingState,
  type ToProjecting,
} from './projecting.messages';
import type { ReadModelDatabase } from '../engine/database/database';
import { sqliteReads } from '../engine/database/sqlite-database';
import { projectionsOf, readerOf } from '../local-read-model';
import { ReadModel, rewritingOnce, type ReadModelParts } from '../read-model';
import { openWorkStoreWrittenBy } from '../work/open-work.store';
import type { OpenWorkDefinition } from '../work/open-work.table';

export interface ThreadProgram {
  /**
   * `join(__dirname, '../../projections/thread/x.worker')`, without extension: TypeScript under test, JavaScript when
   * built.
   */
  readonly file: string;
  /** The caller's `__filename`, whose extension decides between the two. */
  readonly callerFile: string;
  readonly data: unknown;
}

interface ProjectingThreadListener extends ProjectingListener {
  /**
   * Called once if the thread ends unexpectedly. Committed batches are kept, but nothing is projected any more: the
   * process must end.
   */
  readonly onBroken: (error: Error) => void;
}

interface ProjectingThreadSettings extends ProjectingThreadListener {
  readonly program: ThreadProgram;
}

/** Small, because each batch's garbage is dead before the next batch begins. */
const YOUNG_GENERATION_MIB = 24;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Projects in a thread, so that requests and work items do not wait for batches. */
export class ProjectingThread implements Projecting {
  readonly #port: Pick<MessagePort, 'postMessage'>;
  readonly #news: ProjectingThreadListener;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended: Promise<void>;
  #state: ProjectingState = { hasFirstPartition: false, isFencedOut: false };
  #next = 0;
  #failure: Error | undefined;
  #isClosing = false;

  private constructor(port: Worker | MessagePort, ended: 'exit' | 'close', news: ProjectingThreadListener) {
    this.#port = port;
    this.#news = news;
    port.on('message', (message: FromProjecting) => this.#receive(message));
    port.on('error', (error: Error) => this.#break(`the thread that projects failed: ${error.message}`));
    this.#ended = new Promise((resolve) =>
      port.once(ended, () => {
        this.#break('the thread that projects has ended');
        resolve();
      }),
    );
  }

  /** @throws Error in one line if the read models cannot be opened */
  static async open({ program: { file, callerFile, data }, ...news }: ProjectingThreadSettings): Promise<ProjectingThread> {
    const worker = startDatabaseThread(file, callerFile, {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
    });
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the thread that projects has ended')));
      worker.once('message', (message: FromProjecting) => {
        if (message.kind === 'ready') resolve();
        else reject(new Error(message.kind === 'refused' ? message.message : `unexpected ${message.kind}`));
      });
    });
    for (const event of ['error', 'exit']) worker.removeAllListeners(event);
    return new ProjectingThread(worker, 'exit', news);
  }

  static over(port: MessagePort, news: ProjectingThreadListener): ProjectingThread {
    return new ProjectingThread(port, 'close', news);
  }

  get hasFirstPartition(): boolean {
    return this.#state.hasFirstPartition;
  }

  get isFencedOut(): boolean {
    return this.#state.isFencedOut;
  }

  position(): Promise<Position | undefined> {
    return this.#call('position');
  }

  parked(): Promise<readonly StreamName[]> {
    return this.#call('parked');
  }

  /** Read models in a file have no partitions. */
  takes(): boolean {
    return true;
  }

  apply(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    return this.#call('apply', flatEvents(batch), upTo);
  }

  park(event: StoredEvent, error: Error): Promise<void> {
    return this.#call('park', flatEvents([event]), thrownOf(error));
  }

  release(): Promise<void> {
    return this.#call('release');
  }

  build(): Promise<Rebuilt | undefined> {
    return this.#call('build');
  }

  abandonAheadOfLog(): Promise<readonly string[]> {
    return this.#call('abandonAheadOfLog');
  }

  rebuildStream(stream: StreamName): Promise<StreamRebuilt> {
    return this.#call('rebuildStream', stream);
  }

  rewrite(row: CorruptRow): Promise<void> {
    return this.#call('rewrite', row);
  }

  rest(...given: Parameters<ProjectingCalls['rest']>): Promise<void> {
    return this.#call('rest', ...given);
  }

  postpone(...given: Parameters<ProjectingCalls['postpone']>): Promise<void> {
    return this.#call('postpone', ...given);
  }

  /** Waits for pending calls. May be called twice. */
  async close(): Promise<void> {
    if (!this.#isClosing && this.#failure === undefined) {
      const closed = this.#call('close');
      this.#isClosing = true;
      await closed;
    }
    await this.#ended;
  }

  #call<Name extends keyof ProjectingCalls>(name: Name, ...given: Parameters<ProjectingCalls[Name]>): ReturnType<ProjectingCalls[Name]> {
    const asked = new Promise((resolve, reject: (error: Error) => void) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      if (this.#isClosing) return reject(new StoreUnavailable('the read models are closed'));
      const call = this.#next++;
      this.#waiting.set(call, { resolve, reject });
      const message: Omit<ToProjecting, 'name' | 'with'> & { readonly name: Name; readonly with: typeof given } = {
        call,
        name,
        with: given,
      };
      this.#port.postMessage(message);
    });
    return asked as ReturnType<ProjectingCalls[Name]>;
  }

  #receive(message: FromProjecting): void {
    const { onAheadOfLog, onParked, onCorruptRow, onWaiting } = this.#news;
    switch (message.kind) {
      case 'answer':
        this.#state = message.state;
        return this.#take(message.call)?.resolve(message.value);
      case 'failure':
        this.#state = message.state;
        return this.#take(message.call)?.reject(errorOf(message.thrown));
      case 'ahead-of-log':
        return onAheadOfLog?.(message.projections);
      case 'parked':
        return onParked?.(message.parked);
      case 'corrupt-row':
        return onCorruptRow?.(message.row);
      case 'waiting':
        return onWaiting?.(message.thrown && errorOf(message.thrown));
      case 'ready':
      case 'refused':
        return;
    }
  }

  #take(call: number): Waiting | undefined {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    return waiting;
  }

  #break(text: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = new StoreUnavailable(text);
    this.#state = { hasFirstPartition: false, isFencedOut: false };
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
    if (!this.#isClosing) this.#news.onBroken(this.#failure);
  }
}

interface ThreadedReadModelSettings extends LogTruth {
  readonly clock: Clock;
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
      // Close reads before the writer, so that the writer removes the write-ahead log. Reads close even if the thread
      // is dead.
      await this.#closeReads();
    }
    await super.close();
  }
}

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
    clock,
    projections,
    reader,
    projectFromLog: foldingFromLog(truth, rewrite),
    projecting: thread,
    openWork: new Map(openWork.map(({ name }) => [name, openWorkStoreWrittenBy(thread, name, reader)])),
  };
  return new ThreadedReadModel(parts, close);
};

/**
 * Opens read models in a file, created if it is missing, with a thread that writes them.
 * @param path the thread uses the same
 * @throws Error with the reason in one line
 */
export const openThreadedReadModel = async (
  path: string,
  settings: ThreadedReadModelSettings & ProjectingThreadSettings,
): Promise<ReadModel> => readModelWrittenBy(await ProjectingThread.open(settings), sqliteReads(path), settings);
