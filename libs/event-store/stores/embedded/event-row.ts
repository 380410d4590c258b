import { crc32 } from 'node:zlib';
import type { Migration } from '@app/databases/sqlite';
import { BrokenChain } from '../../core/chain';
import type { EventId, Position, Revision, StoredEvent, StreamName } from '../../core/port';
import { categoryOf } from '../../core/names-and-ids';

/**
 * 16 MiB of write-ahead log per checkpoint. With SQLite's default of 4 MiB, the same random index pages are written four times as often. Up
 * to 4,096 pages, a read searches only one table of the log's index.
 */
export const LOG_CHECKPOINT_PAGES = 4_000;

/**
 * Position is the rowid: with one writer and no deletion, commit order is position order. Filter columns precede the long texts, so that
 * scans skip those. Ids have no index: retries are recognised by the ids at their revisions.
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

/** An array, because building an object of nine members takes longer than reading them. */
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

/** CRC-32 over a row without its position. Detects disk damage (safety, F27); the hash chain detects forgery. */
export const checksumOf = (stream: string, revision: number, id: string, type: string, metadata: string, data: string): number =>
  crc32(`${stream} ${revision} ${id} ${type}${metadata}${data}`);

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
  // The checksum does not cover the category, and subscriptions filter by it: a wrong category would hide the event.
  if (category !== categoryOf(event.stream)) throw new BrokenChain(event, 'the row does not fit its category');
  return event;
};

export interface AppendJob {
  readonly stream: string;
  readonly category: string;
  readonly next: number;
  readonly createdMs: number;
  readonly fields: readonly string[];
}

export const FIELDS_PER_EVENT = 4;

export type AppendResult =
  /** `position` of the first event; the others follow it. Undefined for a retry, whose events were stored earlier. */
  | { readonly kind: 'appended'; readonly revision: number; readonly position?: number }
  /** `actual` is -1 if the stream does not exist. */
  | { readonly kind: 'conflict'; readonly actual: number };
