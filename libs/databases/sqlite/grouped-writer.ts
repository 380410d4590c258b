import { open, rm } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';
import { startDatabaseThread, type OpenOptions } from './database';
import type { FromWorker, ToWorker, WorkerSettings } from './grouped-write.messages';

/** The job was not stored (disk full, database locked). Other jobs may succeed. */
export class WriteRefused extends Error {
  override readonly name = 'WriteRefused';
}

/** The disk failed during a commit or the thread died, so the stored state is unknown. Restart the process and read again. */
export class WriterBroken extends Error {
  override readonly name = 'WriterBroken';
}

export interface GroupedWriterSettings {
  readonly path: string;
  readonly name?: string;
  /** `join(__dirname, '../../sqlite/x.worker')`, without extension: TypeScript under test, JavaScript when built. */
  readonly workerFile: string;
  /** `__filename` of the caller; its extension selects between the two. */
  readonly callerFile: string;
  readonly secureDelete?: boolean;
  /** `every-commit` by default. */
  readonly durability?: OpenOptions['durability'];
  readonly autoCheckpointPages?: number;
  readonly groupJobsMax?: number;
  readonly commitDelayMs?: number;
  readonly pagesMax?: number;
  /** Maximum of jobs that wait for their commit. More are refused at once, to limit memory. */
  readonly waitingJobsMax?: number;
  readonly onBroken?: (error: WriterBroken) => void;
}

const GROUP_JOBS_MAX = 512;
const WAITING_JOBS_MAX = 20_000;
/** Jobs per message. Small, so that the thread commits while the main thread accepts requests. */
const MESSAGE_JOBS = 16;
/** Above this, jobs are gathered until a response arrives, because a message costs more than a job. */
const MESSAGES_UNDER_WAY_MAX = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const TRIAL_BYTES = 1_048_576;

const writeTrial = async (path: string): Promise<void> => {
  const trial = `${path}.trial`;
  const file = await open(trial, 'w', 0o600);
  try {
    // Deleted while open, so that a kill leaves no file behind.
    await rm(trial, { force: true });
    await file.writeFile(Buffer.alloc(TRIAL_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
};

interface Waiting<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

let durabilityDefault: NonNullable<OpenOptions['durability']> = 'every-commit';

/** For a process whose files are of no use after a crash: its writers do not wait for the disk. Call it before the first one opens. */
export const writeRebuildable = (): void => {
  durabilityDefault = 'rebuildable';
};

let waitingInProcess = 0;

/** Jobs of all writers of this process that wait for their commit. */
export const waitingWrites = (): number => waitingInProcess;

export class GroupedWriter<Job, Result> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting<Result>>();
  readonly #waitingJobsMax: number;
  readonly #onBroken: ((error: WriterBroken) => void) | undefined;
  readonly #path: string;
  readonly #name: string;
  #full: WriteRefused | undefined;
  #next = 0;
  #gathered: Job[] = [];
  #underWay: number[] = [];
  #isFlushing = false;
  #broken: WriterBroken | undefined;
  #closing: Promise<void> | undefined;
  #onClosed: (() => void) | undefined;

  private constructor(worker: Worker, settings: GroupedWriterSettings) {
    this.#worker = worker;
    this.#path = settings.path;
    this.#name = settings.name ?? 'the database';
    this.#waitingJobsMax = settings.waitingJobsMax ?? WAITING_JOBS_MAX;
    this.#onBroken = settings.onBroken;
    worker.on('message', (message: FromWorker) => this.#receive(message));
    worker.on('error', (error) => this.#break(new WriterBroken(`the writer of ${settings.path} failed: ${error.message}`)));
    worker.on('exit', (code) => {
      if (this.#onClosed === undefined) this.#break(new WriterBroken(`the writer of ${settings.path} ended with ${code}`));
    });
  }

  /** @throws Error with the reason and SQLite's `errcode` if the file cannot be opened or the job handler refuses it */
  static async open<Job, Result>(settings: GroupedWriterSettings): Promise<GroupedWriter<Job, Result>> {
    const workerData: WorkerSettings = {
      path: settings.path,
      secureDelete: settings.secureDelete ?? false,
      durability: settings.durability ?? durabilityDefault,
      autoCheckpointPages: settings.autoCheckpointPages,
      groupJobsMax: settings.groupJobsMax ?? GROUP_JOBS_MAX,
      commitDelayMs: settings.commitDelayMs ?? 0,
      pagesMax: settings.pagesMax,
    };
    const worker = startDatabaseThread(settings.workerFile, settings.callerFile, { workerData });
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', (message: FromWorker) => {
        if (message.kind === 'ready') resolve();
        else if (message.kind === 'refused')
          reject(Object.assign(new Error(message.failure.message), { errcode: message.failure.errcode }));
        else reject(new Error(`unexpected ${message.kind}`));
      });
    });
    worker.removeAllListeners('error');
    return new GroupedWriter<Job, Result>(worker, settings);
  }

  /** Resolves after the commit that holds the job. @throws WriteRefused, WriterBroken */
  submit(job: Job): Promise<Result> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#closing !== undefined) return Promise.reject(new WriteRefused('the writer is closed'));
    if (this.#waiting.size >= this.#waitingJobsMax) return Promise.reject(new WriteRefused('too many writes are waiting'));
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(this.#next++, { resolve, reject });
      waitingInProcess += 1;
      this.#gathered.push(job);
      this.#flushSoon();
    });
  }

  close(): Promise<void> {
    this.#closing ??= new Promise<void>((resolve) => {
      this.#onClosed = resolve;
      if (this.#broken !== undefined) {
        resolve();
        return;
      }
      this.#flush();
      this.#worker.postMessage({ kind: 'close' } satisfies ToWorker);
    });
    return this.#closing;
  }

  get waitingJobs(): number {
    return this.#waiting.size;
  }

  #flushSoon(): void {
    if (this.#underWay.length >= MESSAGES_UNDER_WAY_MAX) return;
    if (this.#gathered.length >= MESSAGE_JOBS) {
      this.#flush();
      return;
    }
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const jobs = this.#gathered;
    if (jobs.length === 0 || this.#broken !== undefined) return;
    this.#gathered = [];
    this.#underWay.push(this.#next);
    this.#worker.postMessage({ kind: 'jobs', first: this.#next - jobs.length, jobs } satisfies ToWorker);
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'closed') {
      this.#onClosed?.();
      return;
    }
    if (message.kind !== 'done') return;
    const answeredTo = message.first + message.outcomes.length;
    this.#underWay = this.#underWay.filter((end) => end > answeredTo);
    if (this.#gathered.length > 0) this.#flushSoon();
    message.outcomes.forEach((outcome, index) => {
      const waiting = this.#waiting.get(message.first + index);
      if (waiting === undefined) return;
      this.#waiting.delete(message.first + index);
      waitingInProcess -= 1;
      if (outcome.ok) {
        this.#full = undefined;
        waiting.resolve(outcome.result as Result);
        return;
      }
      const { message: text, errcode } = outcome.failure;
      const primary = errcode === undefined ? undefined : errcode & 0xff;
      if (primary === SQLITE_IOERR || primary === SQLITE_CORRUPT) {
        const broken = new WriterBroken(text);
        waiting.reject(broken);
        this.#break(broken);
      } else if (primary === SQLITE_FULL) {
        this.#full = new WriteRefused(`${this.#name} ${this.#path} cannot be written: ${text}. Make room on its volume`);
        waiting.reject(this.#full);
      } else {
        waiting.reject(new WriteRefused(text));
      }
    });
  }

  /**
   * For readiness: after a full disk refused a write, writes a trial file, because no request may arrive that would write.
   * @throws WriteRefused while the disk is full
   */
  async assertRoom(): Promise<void> {
    const full = this.#full;
    if (full === undefined) return;
    await writeTrial(this.#path).catch(() => {
      throw full;
    });
    this.#full = undefined;
  }

  #break(error: WriterBroken): void {
    if (this.#broken !== undefined) return;
    this.#broken = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    waitingInProcess -= this.#waiting.size;
    this.#waiting.clear();
    this.#gathered = [];
    this.#onClosed?.();
    // The thread's messages are ignored now. It must not keep the process alive, and must not be terminated during a write.
    this.#worker.unref();
    this.#onBroken?.(error);
  }
}
