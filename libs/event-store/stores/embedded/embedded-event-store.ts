import { join } from 'node:path';
import { TimeLimits, type Clock, type Deadline, type NonEmpty, type Scheduler } from '@app/kernel';
import { GroupedWriter, WriterBroken } from '@app/databases/sqlite';
import { assertAppendable } from '../../core/append-guard';
import {
  OutcomeUnknown,
  StoreUnavailable,
  type Appended,
  type Conflict,
  type EventStore,
  type NewEvent,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
  type Subscription,
} from '../../core/port';
import { assertInTime } from '../../core/in-time';
import { categoryOf } from '../../core/names-and-ids';
import { type AppendJob, type AppendResult, LOG_CHECKPOINT_PAGES } from './event-row';
import { SqliteEventLogReader, type EventLogReader, type ReaderOptions } from './event-log-reader';
import { asLogDamaged } from './check-log';
import { LogTail, RecentStreams } from './log-tail';
import { takeWriterLock, type WriterLock } from './writer-lock';

export interface EmbeddedEventStoreSettings {
  /** Path of the SQLite file. A missing folder is created. */
  readonly path: string;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** After this time, an append without a response fails with OutcomeUnknown. */
  readonly appendDeadlineMs?: number;
  /** Called once when the disk failed during a commit. The stored state is unknown, so the process must stop (safety, F25). */
  readonly onBroken?: (error: Error) => void;
  readonly groupJobsMax?: number;
  readonly commitDelayMs?: number;
  readonly pagesMax?: number;
}

const APPEND_DEADLINE_MS = 10_000;

const asRead = (
  stream: StreamName,
  { next, createdMs }: AppendJob,
  events: NonEmpty<NewEvent>,
  position: number,
): NonEmpty<StoredEvent> => {
  const stored = ({ id, type, data, metadata }: NewEvent, index: number): StoredEvent => ({
    id,
    type,
    data,
    metadata,
    stream,
    revision: BigInt(next + index) as Revision,
    position: String(position + index) as Position,
    createdMs,
  });
  const [first, ...rest] = events;
  return [stored(first, 0), ...rest.map((event, index) => stored(event, index + 1))];
};

/**
 * The event log in a SQLite file, with one writer process and any number of readers (architecture, "Stores"). One thread commits together
 * all appends that arrived during the last commit. An append resolves after its fsync.
 */
export class EmbeddedEventStore implements EventStore {
  readonly #lock: WriterLock;
  readonly #writer: GroupedWriter<AppendJob, AppendResult>;
  readonly #reader: SqliteEventLogReader;
  readonly #clock: Clock;
  readonly #limits: TimeLimits;
  readonly #recent = new RecentStreams();
  readonly #tail = new LogTail();
  #broken: Error | undefined;
  #closing: Promise<void> | undefined;

  private constructor(settings: EmbeddedEventStoreSettings, lock: WriterLock, writer: GroupedWriter<AppendJob, AppendResult>) {
    this.#lock = lock;
    this.#writer = writer;
    this.#reader = new SqliteEventLogReader(settings.path, { tail: this.#tail });
    this.#clock = settings.clock;
    this.#limits = new TimeLimits(settings.scheduler, settings.appendDeadlineMs ?? APPEND_DEADLINE_MS);
  }

  /** @throws WriterLocked if another process writes this file; LogDamaged with one line of advice; Error if it cannot be opened */
  static async open(settings: EmbeddedEventStoreSettings): Promise<EmbeddedEventStore> {
    const lock = takeWriterLock(settings.path, settings.clock.now());
    let store: EmbeddedEventStore | undefined;
    try {
      const writer = await GroupedWriter.open<AppendJob, AppendResult>({
        path: settings.path,
        name: 'the event log',
        workerFile: join(__dirname, 'append.worker'),
        callerFile: __filename,
        autoCheckpointPages: LOG_CHECKPOINT_PAGES,
        ...(settings.groupJobsMax === undefined ? {} : { groupJobsMax: settings.groupJobsMax }),
        ...(settings.commitDelayMs === undefined ? {} : { commitDelayMs: settings.commitDelayMs }),
        ...(settings.pagesMax === undefined ? {} : { pagesMax: settings.pagesMax }),
        onBroken: (error) => {
          if (store !== undefined) store.#broken = error;
          settings.onBroken?.(error);
        },
      });
      store = new EmbeddedEventStore(settings, lock, writer);
      return store;
    } catch (error) {
      lock.release();
      throw asLogDamaged(settings.path, error);
    }
  }

  /**
   * For processes other than the writer. Polls for new events every 50 ms.
   * @throws Error if there is no log yet
   */
  static openReader({
    path,
    ...options
  }: Pick<EmbeddedEventStoreSettings, 'path' | 'scheduler'> & Omit<ReaderOptions, 'tail'>): EventLogReader {
    return new SqliteEventLogReader(path, options);
  }

  assertRoom(): Promise<void> {
    return this.#writer.assertRoom();
  }

  async append(
    stream: StreamName,
    expected: 'no_stream' | Revision,
    events: NonEmpty<NewEvent>,
    limitMs?: number,
  ): Promise<Appended | Conflict> {
    assertAppendable(stream, expected, events);
    if (this.#broken !== undefined) throw new StoreUnavailable(this.#broken.message);
    const fields: string[] = [];
    for (const { id, type, metadata, data } of events) fields.push(id, type, metadata, data);
    const job: AppendJob = {
      stream,
      category: categoryOf(stream),
      next: expected === 'no_stream' ? 0 : Number(expected) + 1,
      createdMs: this.#clock.now(),
      fields,
    };
    return new Promise((resolve, reject) => {
      this.#recent.begin(stream);
      const stopTimer = this.#limits.begin(() => reject(new OutcomeUnknown(`${stream}: no answer within the deadline`)), limitMs);
      this.#writer.submit(job).then(
        (result) => {
          stopTimer();
          if (result.kind === 'appended') {
            const stored = result.position === undefined ? undefined : asRead(stream, job, events, result.position);
            this.#recent.end(stream, stored);
            if (stored !== undefined) this.#tail.add(stored);
            this.#reader.wake();
            resolve({ kind: 'appended', revision: BigInt(result.revision) as Revision });
          } else {
            this.#recent.end(stream, undefined);
            resolve({ kind: 'conflict', actual: result.actual < 0 ? 'no_stream' : (BigInt(result.actual) as Revision) });
          }
        },
        (error: Error) => {
          stopTimer();
          // The stored state is unknown after a broken writer, so the stream must be read from the file.
          if (!(error instanceof WriterBroken)) this.#recent.end(stream, undefined);
          reject(error instanceof WriterBroken ? new OutcomeUnknown(error.message) : new StoreUnavailable(error.message));
        },
      );
    });
  }

  read(stream: StreamName, from: Revision = 0n as Revision, deadline?: Deadline): AsyncIterable<StoredEvent> {
    return { [Symbol.asyncIterator]: () => this.#iterate(stream, from, deadline) };
  }

  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription {
    return this.#reader.subscribe(categories, after);
  }

  head(deadline?: Deadline): Promise<Position> {
    return this.#reader.head(deadline);
  }

  comparePositions(a: Position, b: Position): number {
    return this.#reader.comparePositions(a, b);
  }

  get waitingAppends(): number {
    return this.#writer.waitingJobs;
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  #iterate(stream: StreamName, from: Revision, deadline: Deadline | undefined): AsyncIterator<StoredEvent, undefined> {
    let events: Iterator<StoredEvent, undefined> | undefined;
    let rest: AsyncIterator<StoredEvent, undefined> | undefined;
    const begin = (): void => {
      let known = this.#recent.get(stream);
      if (known === undefined && from === 0n && this.#reader.isOpen) {
        known = this.#reader.whole(stream);
        if (known !== undefined) this.#recent.keep(stream, known);
      }
      if (known === undefined) rest = this.#reader.read(stream, from)[Symbol.asyncIterator]();
      else events = (from === 0n ? known : known.filter(({ revision }) => revision >= from))[Symbol.iterator]();
    };
    const next = (): IteratorResult<StoredEvent, undefined> | Promise<IteratorResult<StoredEvent, undefined>> => {
      assertInTime(deadline);
      if (events === undefined && rest === undefined) begin();
      return events?.next() ?? rest?.next() ?? { done: true, value: undefined };
    };
    return { next: () => new Promise((resolve) => resolve(next())) };
  }

  async #closeAll(): Promise<void> {
    // The writer closes last, because it checkpoints the write-ahead log and removes the other files.
    await this.#reader.close();
    await this.#writer.close();
    this.#limits.stop();
    this.#lock.release();
  }
}
