import { crc32 } from 'node:zlib';
import type { Migration } from '@app/databases/sqlite';
import { BrokenChain } from '../../core/chain';
import type { EventId, Position, Revision, StoredEvent, StreamName } from '../../core/port';
import { categoryOf } from '../../core/names-and-ids';

/**
 * 16 MiB of the write-ahead log, then a commit carries it into the file. Nearly every event writes a page of the index of streams, whose names are random:
 * with SQLite's own 4 MiB the same pages are carried four times as often, two syncs each time. As long as it has no more than 4,096 pages, a read looks
 * through one table of its index.
 */
export const LOG_CHECKPOINT_PAGES = 4_000;

/**
 * Position is the rowid: with one writer and no deletion, commit order is position order.
 * The columns that a subscription filters by come before the long texts, so that a scan does not read those. There is no index on ids: a retry is
 * recognised by the ids at the revisions that it would have written, as in EventStoreDB.
 */
export const EVENT_LOG_MIGRATIONS: readonly Migration[] = [
  (db) =>
    db.exec(`
      CREATE TABLE events (
        position INTEGER PRIMARY KEY,
        category TEXT NOT NULL,
        stream TEXT NOT NULL,
        revision INTEGER NOT NULL CHECK (revision >= 0),
        id TEXT NOT NULL,
        type TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        data TEXT NOT NULL,
        UNIQUE (stream, revision)
      ) STRICT`),
];

/** A row of the log as an array, because building an object of nine members takes longer than reading them. */
export type EventRow = readonly [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  createdMs: number,
  checksum: number,
  metadata: string,
  data: string,
  category: string,
];

export const ROW_COLUMNS = 'position, stream, revision, id, type, created_ms, checksum, metadata, data, category';

/** CRC-32 over a row without its position. It detects damage by the disk (safety, F27); forgery is detected by the hash chain. */
export const checksumOf = (stream: string, revision: number, id: string, type: string, metadata: string, data: string): number =>
  crc32(`${stream} ${revision} ${id} ${type}${metadata}${data}`);

/** @throws BrokenChain where the row is not what was written */
export const storedEvent = ([
  position,
  stream,
  revision,
  id,
  type,
  createdMs,
  checksum,
  metadata,
  data,
  category,
]: EventRow): StoredEvent => {
  const event: StoredEvent = {
    id: id as EventId,
    type,
    data,
    metadata,
    stream: stream as StreamName,
    revision: BigInt(revision) as Revision,
    position: String(position) as Position,
    createdMs,
  };
  if (checksumOf(stream, revision, id, type, metadata, data) !== checksum) {
    throw new BrokenChain(event, 'the row does not fit its checksum');
  }
  // It is no part of the checksum, and a subscription goes by it: a row under another one would be kept from those who ask for it.
  if (category !== categoryOf(event.stream)) throw new BrokenChain(event, 'the row does not fit its category');
  return event;
};

/** A job of the writing thread. Revisions are numbers here, since they stay far below 2^53. */
export interface AppendJob {
  readonly stream: string;
  readonly category: string;
  /** Revision of the first event. */
  readonly next: number;
  readonly createdMs: number;
  /** id, type, metadata and data of each event, in one flat list that is cheap to clone. */
  readonly fields: readonly string[];
}

export const FIELDS_PER_EVENT = 4;

export type AppendResult =
  /** `position` is the first event's; the others follow it. It is absent for a repeat, whose events were stored before. */
  | { readonly kind: 'appended'; readonly revision: number; readonly position?: number }
  /** `actual` is -1 where the stream does not exist. */
  | { readonly kind: 'conflict'; readonly actual: number };
