import type { StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { Db } from '../database/tables';
import { parkedRows } from '../projection-registry';
import type { ParkedStream } from './projector';

/** The parked streams of a database, oldest first. @param limit maximum of streams */
export const parkedStreamsIn = async (db: Db, limit: number): Promise<readonly ParkedStream[]> => {
  const rows = await parkedRows(db, limit);
  return rows.map(({ projection, stream, revision, event_id, error, parked_at }) => ({
    projection,
    stream: stream as StreamName,
    revision: Number(revision),
    eventId: event_id,
    error,
    parkedAt: Number(parked_at) as Instant,
  }));
};
