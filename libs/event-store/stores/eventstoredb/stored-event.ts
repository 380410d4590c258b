import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { EventId, Position, Revision, StoredEvent, StreamName } from '../../core/port';
import { positionText } from './position';

/** EventStoreDB counts time in ticks of 100 ns since 1970. */
const TICKS_PER_MS = 10_000n;

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

export const recordedPosition = (record: ReadResp.ReadEvent.RecordedEvent): Position =>
  positionText(record.getCommitPosition(), record.getPreparePosition());

/** Keeps the texts exactly as they are stored, since the hash chain covers them (architecture, rule 7). */
export const storedEvent = (record: ReadResp.ReadEvent.RecordedEvent): StoredEvent => {
  const properties = record.getMetadataMap();
  return {
    id: (record.getId()?.getString() ?? '') as EventId,
    type: properties.get('type') ?? '',
    data: textOf(record.getData_asU8()),
    metadata: textOf(record.getCustomMetadata_asU8()),
    stream: textOf(record.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()) as StreamName,
    revision: BigInt(record.getStreamRevision()) as Revision,
    position: recordedPosition(record),
    createdMs: Number(BigInt(properties.get('created') ?? '0') / TICKS_PER_MS),
  };
};
