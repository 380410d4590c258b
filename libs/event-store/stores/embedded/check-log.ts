import type { Database } from '@app/databases/sqlite';
import { assertFollows, BrokenChain } from '../../core/chain';
import { previousHashOf } from '../../core/envelope';
import type { StoredEvent } from '../../core/port';
import { ROW_COLUMNS, storedEvent, type EventRow } from './event-row';

const SQLITE_ERROR = 1;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** Result codes that mean damage: a foreign schema, a malformed page, another kind of file. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB]);

/** The driver has no code for it. */
const NUMBER_TOO_LARGE = 'Value is too large to be represented as a JavaScript number';

/** The file was changed after it was written. No decision may be based on it, so the process does not start (safety, F26 and F27). */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';

  constructor(path: string, what: string) {
    super(
      `${path} cannot be read, or is damaged: ${what}. It is not served: restore a back-up, or copy what is whole with "orch copy-log" (docs/recover.md, "A damaged log file")`,
    );
  }
}

class DamageFound extends Error {
  override readonly name = 'DamageFound';
  readonly errcode = SQLITE_CORRUPT;
}

export const isDamage = (error: unknown): boolean => {
  const { errcode = 0, message = '' } = error as { readonly errcode?: number; readonly message?: string };
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff) || message.startsWith(NUMBER_TOO_LARGE);
};

export const asLogDamaged = (path: string, error: unknown): unknown => {
  const { errcode, message } = error as { readonly errcode?: number; readonly message?: string };
  return errcode !== undefined && DAMAGE_CODES.has(errcode & 0xff) ? new LogDamaged(path, (message ?? '').replace(`${path}: `, '')) : error;
};

export interface CheckBounds {
  /** Files up to this size are checked completely. Of larger files only the end is, so that startup time does not grow with the log. */
  readonly wholeBytesMax: number;
  readonly tailEventsMax: number;
}

export const CHECK_BOUNDS: CheckBounds = { wholeBytesMax: 16 * 1_024 * 1_024, tailEventsMax: 1_000 };

const PAGE_EVENTS = 500;

const assertLinked = (event: StoredEvent, before: StoredEvent | undefined): void => {
  if (previousHashOf(event) !== undefined) assertFollows(event, before);
};

const checkWhole = (db: Database): void => {
  const { integrity_check: verdict } = db.prepare('PRAGMA integrity_check(1)').get() as { integrity_check: string };
  if (verdict !== 'ok') throw new DamageFound(verdict.replace(/\s+/g, ' '));
  const ends = new Map<string, StoredEvent>();
  const page = db.prepare(`SELECT ${ROW_COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ${PAGE_EVENTS}`);
  page.setReturnArrays(true);
  let position = 0;
  for (let rows = page.all(position); rows.length > 0; rows = page.all(position)) {
    for (const row of rows as unknown as EventRow[]) {
      const event = storedEvent(row);
      // One writer and no deletion: positions have no gaps.
      if (Number(event.position) !== ++position) throw new BrokenChain(event, `position ${position} is missing`);
      const before = ends.get(event.stream);
      if (event.revision !== (before === undefined ? 0n : before.revision + 1n))
        throw new BrokenChain(event, 'an event before it is missing');
      assertLinked(event, before);
      ends.set(event.stream, event);
    }
  }
};

const checkTail = (db: Database, eventsMax: number): void => {
  const newest = db.prepare(`SELECT ${ROW_COLUMNS} FROM events ORDER BY position DESC LIMIT ?`);
  const found = db.prepare(`SELECT ${ROW_COLUMNS} FROM events WHERE stream = ? AND revision = ?`);
  const after = db.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?');
  for (const statement of [newest, found]) statement.setReturnArrays(true);
  const at = (stream: string, revision: bigint): StoredEvent | undefined => {
    const row = found.get(stream, Number(revision)) as unknown as EventRow | undefined;
    return row === undefined ? undefined : storedEvent(row);
  };
  const seen = new Set<string>();
  let position: number | undefined;
  for (const row of newest.all(eventsMax) as unknown as EventRow[]) {
    const event = storedEvent(row);
    if (position !== undefined && Number(event.position) !== position - 1)
      throw new BrokenChain(event, `position ${position - 1} is missing`);
    position = Number(event.position);
    if (at(event.stream, event.revision)?.position !== event.position) throw new BrokenChain(event, 'it is not found by its stream');
    const before = event.revision === 0n ? undefined : at(event.stream, event.revision - 1n);
    if (event.revision !== 0n && before === undefined) throw new BrokenChain(event, 'the event before it is missing');
    assertLinked(event, before);
    if (seen.has(event.stream)) continue;
    seen.add(event.stream);
    const { revision } = after.get(event.stream) as { revision: number };
    if (BigInt(revision) !== event.revision)
      throw new BrokenChain(event, `its stream goes on to revision ${revision}, and the log does not`);
  }
};

/**
 * Checks a log when it is opened (safety, B7): a small one completely, a large one at its end, where crashes do damage. Older rows are
 * checked when read.
 * @throws DamageFound
 */
export const checkLog = (db: Database, { wholeBytesMax, tailEventsMax }: CheckBounds = CHECK_BOUNDS): void => {
  const { bytes } = db.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get() as {
    bytes: number;
  };
  try {
    if (bytes <= wholeBytesMax) checkWhole(db);
    else checkTail(db, tailEventsMax);
  } catch (error) {
    // A truncated file causes an I/O error too, and the driver drops the error code while rows are read.
    const isOfFile = error instanceof BrokenChain || (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
    throw isOfFile ? new DamageFound((error as Error).message) : error;
  }
};
