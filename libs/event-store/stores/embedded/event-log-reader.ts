import type { Deadline, Scheduled, Scheduler } from '@app/kernel';
import { openDatabase, type Database } from '@app/sqlite';
import { BrokenChain } from '../../chain/chain';
import { CursorSubscription, type LogPage } from '../../runners/subscriptions/cursor-subscription';
import { eventLoopTurn } from '../../runners/reactors/event-loop-turn';
import {
  StoreDamaged,
  StoreUnavailable,
  type EventStore,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
  type Subscription,
} from '../../core/port';
import { assertInTime } from '../../core/in-time';
import { isDamage } from './log-damaged';
import { ROW_COLUMNS, storedEvent, type EventRow } from './event-row';

/** The event log for reading only, which is all that processes other than the writer may do. */
export type EventLogReader = Omit<EventStore, 'append'>;

/** The event log for one that reads much of it and does nothing else. */
export type LogRuns = Pick<SqliteEventLogReader, 'between' | 'close'>;

const STREAM_PAGE_EVENTS = 200;
const PAGE_EVENTS = 500;
/** Rows are fetched in parts, because each fetch crosses between SQLite and JavaScript. */
const PART_ROWS = 100;
/** A page of long events ends here too, so that memory stays bounded. */
const PAGE_CHARACTERS_MAX = 8_000_000;
/** Maximum of rows that one page scans, so that rows of other categories do not block the process. */
const SCAN_ROWS_MAX = 5_000;
const CATEGORIES_MAX = 32;
/** Interval at which a reading process polls for new events. */
const POLL_MS = 50;

type Statement = ReturnType<Database['prepare']>;

const NOTHING = '0' as Position;

/** Turns an error of SQLite into one of the store, since it is no bug of the caller. */
const reading = <Result>(read: () => Result): Result => {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokenChain) throw error;
    const text = `the event log cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    throw isDamage(error) ? new StoreDamaged(text) : new StoreUnavailable(text);
  }
};

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
  readonly #readHead: Statement;
  readonly #readPage: Statement;
  readonly #readPageOfAll: Statement;
  readonly #subscriptions = new Set<CursorSubscription>();
  readonly #scheduler: Scheduler | undefined;
  #poll: Scheduled | undefined;

  /** @param scheduler where given, the reader polls for new events; otherwise the owner calls `wake` */
  constructor(path: string, scheduler?: Scheduler) {
    this.#db = openDatabase(path, { readOnly: true });
    this.#scheduler = scheduler;
    this.#readStream = this.#db.prepare(
      `SELECT ${ROW_COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ${STREAM_PAGE_EVENTS}`,
    );
    this.#readStream.setReturnArrays(true);
    this.#readPage = this.#db.prepare(
      `SELECT ${ROW_COLUMNS} FROM events WHERE position > ? AND position <= ? AND category IN (SELECT value FROM json_each(?))
       ORDER BY position LIMIT ${PART_ROWS}`,
    );
    this.#readPage.setReturnArrays(true);
    this.#readPageOfAll = this.#db.prepare(
      `SELECT ${ROW_COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${PART_ROWS}`,
    );
    this.#readPageOfAll.setReturnArrays(true);
    this.#readHead = this.#db.prepare('SELECT max(position) AS head FROM events');
  }

  read(stream: StreamName, from: Revision = 0n as Revision, deadline?: Deadline): AsyncIterable<StoredEvent> {
    return { [Symbol.asyncIterator]: () => this.#streamIterator(stream, Number(from), deadline) };
  }

  /** Reads a whole stream at once; undefined where it is longer than a page. */
  whole(stream: StreamName): readonly StoredEvent[] | undefined {
    const rows = reading<readonly EventRow[]>(() => this.#readStream.all(stream, 0) as EventRow[]);
    return rows.length < STREAM_PAGE_EVENTS ? rows.map((row, index) => eventAt(index, row)) : undefined;
  }

  /**
   * The events behind one position up to and including another, read as they are asked for on the calling thread, which does nothing else meanwhile.
   * @throws BrokenChain, StoreDamaged, StoreUnavailable
   */
  *between(after: Position | 'start', to: Position): Generator<StoredEvent, void> {
    const rows = this.#rows(undefined, after === 'start' ? 0 : Number(after), Number(to));
    for (let row = reading(() => rows.next()); row.done !== true; row = reading(() => rows.next())) yield storedEvent(row.value);
  }

  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription {
    if (categories !== 'all' && (categories.length === 0 || categories.length > CATEGORIES_MAX)) {
      throw new Error(`1 to ${CATEGORIES_MAX} categories are expected`);
    }
    if (!this.#db.isOpen) throw new StoreUnavailable('the event log is closed');
    const wanted = categories === 'all' ? undefined : JSON.stringify(categories);
    const subscription: CursorSubscription = new CursorSubscription(
      {
        page: (position) => reading(() => this.#page(wanted, Number(position))),
        head: () => this.#head(),
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
      resolve(this.#head());
    });
  }

  comparePositions(a: Position, b: Position): number {
    return Number(a) - Number(b);
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  /** Notifies all subscriptions of new events. */
  wake(): void {
    for (const subscription of this.#subscriptions) subscription.wake();
  }

  async close(): Promise<void> {
    this.#poll?.cancel();
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.cancel()));
    if (this.#db.isOpen) this.#db.close();
  }

  #head(): Position {
    return reading(() => String((this.#readHead.get() as { head: number | null }).head ?? 0) as Position);
  }

  #page(categories: string | undefined, after: number): LogPage {
    const head = Number(this.#head());
    const to = Math.min(head, after + SCAN_ROWS_MAX);
    const events: StoredEvent[] = [];
    let scannedTo = Math.max(after, to);
    let characters = 0;
    for (const row of this.#rows(categories, after, to)) {
      let event: StoredEvent;
      try {
        event = storedEvent(row);
      } catch (error) {
        if (events.length === 0) throw error;
        // Events before the damage are delivered first; the next page begins with the damaged row.
        scannedTo = Number(events.at(-1)?.position);
        break;
      }
      events.push(event);
      characters += event.data.length + event.metadata.length;
      if (events.length === PAGE_EVENTS || characters >= PAGE_CHARACTERS_MAX) {
        scannedTo = Number(event.position);
        break;
      }
    }
    return { events, scannedTo: String(scannedTo) as Position, isAtEnd: scannedTo >= head };
  }

  /** Rows after `after` up to and including `to`; a part is read only when the caller needs it. */
  *#rows(categories: string | undefined, after: number, to: number): Generator<EventRow, void> {
    for (let from = after; from < to;) {
      const part = (categories === undefined
        ? this.#readPageOfAll.all(from, to)
        : this.#readPage.all(from, to, categories)) as unknown as readonly EventRow[];
      yield* part;
      const last = part.at(-1);
      if (last === undefined || part.length < PART_ROWS) return;
      [from] = last;
    }
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
