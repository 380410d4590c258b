import { crc32 } from 'node:zlib';
import { BrokenChain } from '../chain';
import type { EventId, Position, Revision, StoredEvent, StreamName } from '../port';

/** A row of the log as SQLite gives it. */
export interface EventRow {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly createdMs: number;
  readonly checksum: number;
  readonly metadata: string;
  readonly data: string;
}

export const ROW_COLUMNS = 'position, stream, revision, id, type, created_ms AS createdMs, checksum, metadata, data';

/** CRC-32 over all that a row says but its place: finds what the disk changed (safety, F27), not what somebody forged; the chain does that. */
export const checksumOf = (stream: string, revision: number, id: string, type: string, metadata: string, data: string): number =>
  crc32(data, crc32(metadata, crc32(`${stream} ${revision} ${id} ${type}`)));

/** @throws BrokenChain where the row is not what was written */
export const storedEvent = (row: EventRow): StoredEvent => {
  const event: StoredEvent = {
    id: row.id as EventId,
    type: row.type,
    data: row.data,
    metadata: row.metadata,
    stream: row.stream as StreamName,
    revision: BigInt(row.revision) as Revision,
    position: String(row.position) as Position,
    createdMs: row.createdMs,
  };
  if (checksumOf(row.stream, row.revision, row.id, row.type, row.metadata, row.data) !== row.checksum) {
    throw new BrokenChain(event, 'the row does not fit its checksum');
  }
  return event;
};
