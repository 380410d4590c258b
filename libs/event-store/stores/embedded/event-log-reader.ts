import type { Deadline, Scheduled, Scheduler } from '@app/kernel';
import { openDatabase, type Database } from '@app/databases/sqlite';
import { BrokenChain } from '../../core/chain';
import { CursorSubscription } from '../../subscribe/cursor-subscription';
import { eventLoopTurn, assertInTime } from '../../core/in-time';
import {
  StoreUnavailable,
  type EventStore,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
  type Subscription,
} from '../../core/port';
import { ROW_COLUMNS, storedEvent, type EventRow } from './event-row';
import { LogPages, reading, wantedCategories } from './log-pages';
import type { LogTail } from './log-tail';

/** Processes other than the writer may only read. */
export type EventLogReader = Omit<EventStore, 'append'>;

const STREAM_PAGE_EVENTS = 200;
const CATEGORIES_MAX = 32;
const POLL_MS = 50;

type Statement = ReturnType<Database['prepare']>;

const NOTHING = '0' as Position;

export interface ReaderOptions {
  readonly scheduler?: Scheduler;
  readonly tail?: LogTail;
}

/** A gap in a stream means that its index lost an entry, which would hide an event. */
const eventAt = (revision: number, row: EventRow): StoredEvent => {
  const event = storedEvent(row);
  if (Number(event.revision) !== revision) throw new BrokenChain(event, `revision ${revision} before it is missing`);
  return event;
};

/** Reads the log on the calling thread, over a connection that never blocks the writer. */
export class SqliteEventLogReader implements EventLogReader {
  readonly #db: Database;
  readonly #readStream: Statement;
  readonly #pages: LogPages;
  readonly #subscriptions = new Set<CursorSubscription>();
  readonly #scheduler: Scheduler | undefined;
  readonly #tail: LogTail | undefined;
  #poll: Scheduled | undefined;

  constructor(path: string, { scheduler, tail }: ReaderOptions = {}) {
    this.#tail = tail;
    this.#db = openDatabase(path, { readOnly: true });
    this.#scheduler = scheduler;
    this.#readStream = this.#db.prepare(
      `SELECT ${ROW_COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ${STREAM_PAGE_EVENTS}`,
    );
    this.#readStream.setReturnArrays(true);
    this.#pages = new LogPages(this.#db);
  }

  read(stream: StreamName, from: Revision = 0n as Revision, deadline?: Deadline): AsyncIterable<StoredEvent> {
    return { [Symbol.asyncIterator]: () => this.#streamIterator(stream, Number(from), deadline) };
  }

  whole(stream: StreamName): readonly StoredEvent[] | undefined {
    const rows = reading<readonly EventRow[]>(() => this.#readStream.all(stream, 0) as EventRow[]);
    return rows.length < STREAM_PAGE_EVENTS ? rows.map((row, index) => eventAt(index, row)) : undefined;
  }

  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription {
    if (categories !== 'all' && (categories.length === 0 || categories.length > CATEGORIES_MAX)) {
      throw new Error(`1 to ${CATEGORIES_MAX} categories are expected`);
    }
    if (!this.#db.isOpen) throw new StoreUnavailable('the event log is closed');
    const wanted = wantedCategories(categories);
    const inTail = categories === 'all' ? undefined : new Set(categories);
    const subscription: CursorSubscription = new CursorSubscription(
      {
        page: (position) => this.#tail?.page(inTail, position) ?? this.#pages.page(wanted, position),
        head: () => this.#pages.head(),
        comparePositions: (a, b) => this.comparePositions(a, b),
        yieldToEventLoop: eventLoopTurn,
        onEnd: () => void this.#subscriptions.delete(subscription),
      },
      after === 'start' ? NOTHING : after,
    );
    this.#subscriptions.add(subscription);
    this.#pollLater();
    return subscription;
  }

  head(deadline?: Deadline): Promise<Position> {
    return new Promise((resolve) => {
      assertInTime(deadline);
      resolve(this.#pages.head());
    });
  }

  comparePositions(a: Position, b: Position): number {
    return Number(a) - Number(b);
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  wake(): void {
    for (const subscription of this.#subscriptions) subscription.wake();
  }

  async close(): Promise<void> {
    this.#poll?.cancel();
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.cancel()));
    if (this.#db.isOpen) this.#db.close();
  }

  #streamIterator(stream: StreamName, from: number, deadline: Deadline | undefined): AsyncIterator<StoredEvent, undefined> {
    let rows: readonly EventRow[] = [];
    let index = 0;
    let next = from;
    let isAtEnd = false;
    const step = (): IteratorResult<StoredEvent, undefined> => {
      assertInTime(deadline);
      if (index === rows.length && !isAtEnd) {
        rows = reading<readonly EventRow[]>(() => this.#readStream.all(stream, next) as EventRow[]);
        index = 0;
        isAtEnd = rows.length < STREAM_PAGE_EVENTS;
      }
      const row = rows[index];
      if (row === undefined) return { done: true, value: undefined };
      index += 1;
      const event = eventAt(next, row);
      next += 1;
      return { done: false, value: event };
    };
    return { next: () => new Promise((resolve) => resolve(step())) };
  }

  #pollLater(): void {
    if (this.#scheduler === undefined || this.#poll !== undefined) return;
    this.#poll = this.#scheduler.after(POLL_MS, () => {
      this.#poll = undefined;
      this.wake();
      if (this.#subscriptions.size > 0) this.#pollLater();
    });
  }
}
