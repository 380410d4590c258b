import type { Database } from '@app/databases/sqlite';
import { BrokenChain } from '../../core/chain';
import { StoreDamaged, StoreUnavailable, type Position, type StoredEvent } from '../../core/port';
import type { LogPage } from '../../subscribe/cursor-subscription';
import { ROW_COLUMNS, storedEvent, type EventRow } from './event-row';
import { isDamage } from './check-log';

const PAGE_EVENTS = 500;
/** Rows are fetched in parts, because each fetch crosses between SQLite and JavaScript. */
const PART_ROWS = 100;
/** A page of long events ends here too, to limit memory. */
const PAGE_CHARACTERS_MAX = 8_000_000;
const SCAN_ROWS_MAX = 5_000;

type Statement = ReturnType<Database['prepare']>;

/** Reports SQLite errors as errors of the store, because the caller has no bug. */
export const reading = <Result>(read: () => Result): Result => {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokenChain) throw error;
    const text = `the event log cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    throw isDamage(error) ? new StoreDamaged(text) : new StoreUnavailable(text);
  }
};

export type WantedCategories = string | undefined;

export const wantedCategories = (categories: readonly string[] | 'all'): WantedCategories =>
  categories === 'all' ? undefined : JSON.stringify(categories);

export class LogPages {
  readonly #readHead: Statement;
  readonly #readPage: Statement;
  readonly #readPageOfAll: Statement;

  constructor(db: Database) {
    // A row with a wrong category is returned to every reader and refused. Otherwise one changed word would hide an event.
    this.#readPage = db.prepare(
      `SELECT ${ROW_COLUMNS} FROM events WHERE position > ? AND position <= ?
       AND (category IN (SELECT value FROM json_each(?)) OR category <> substr(stream, 1, instr(stream || '-', '-') - 1))
       ORDER BY position LIMIT ${PART_ROWS}`,
    );
    this.#readPage.setReturnArrays(true);
    this.#readPageOfAll = db.prepare(
      `SELECT ${ROW_COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ${PART_ROWS}`,
    );
    this.#readPageOfAll.setReturnArrays(true);
    this.#readHead = db.prepare('SELECT max(position) AS head FROM events');
  }

  head(): Position {
    return reading(() => String((this.#readHead.get() as { head: number | null }).head ?? 0) as Position);
  }

  /** @throws BrokenChain if the first event is damaged; StoreUnavailable */
  page(categories: WantedCategories, after: Position): LogPage {
    return reading(() => this.#page(categories, Number(after)));
  }

  #page(categories: WantedCategories, after: number): LogPage {
    const head = Number(this.head());
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
        // Events before the damage are delivered first. The next page starts with the damaged row.
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

  *#rows(categories: WantedCategories, after: number, to: number): Generator<EventRow, void> {
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
}
