import { BrokenChain, UndecodableEvent, type StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { Db } from '../database/tables';
import { parkedRows } from '../projection-registry';
import type { ParkedStream } from './projector';

export const PARKED_CAUSES = ['chain-broken', 'event-unreadable', 'not-applied'] as const;
export type ParkedCause = (typeof PARKED_CAUSES)[number];

/** By the name of the error, which is all that is stored of its kind. */
export const parkedCause = ({ error }: Pick<ParkedStream, 'error'>): ParkedCause => {
  const [name] = error.split(':');
  if (name === BrokenChain.name) return 'chain-broken';
  return name === UndecodableEvent.name ? 'event-unreadable' : 'not-applied';
};

/** The parked streams of a database, one entry for each projection: those with a broken chain, then the others, oldest first. @param limit maximum of entries */
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
