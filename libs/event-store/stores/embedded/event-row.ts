import { crc32 } from 'node:zlib';
import { BrokenChain } from '../../core/chain';
import type { EventId, Position, Revision, StoredEvent, StreamName } from '../../core/port';
import { categoryOf } from '../../core/stream-name';

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
