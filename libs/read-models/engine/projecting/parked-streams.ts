import { BrokenChain, UndecodableEvent, type StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { Db } from '../database/tables';
import { parkedRows } from '../projection-registry';
import type { ParkedStream } from './projector';

export const PARKED_CAUSES = ['chain-broken', 'event-unreadable', 'not-applied'] as const;
export type ParkedCause = (typeof PARKED_CAUSES)[number];

/** Derived from the error's name; nothing else of its kind is stored. */
export const parkedCause = ({ error }: Pick<ParkedStream, 'error'>): ParkedCause => {
  const [name] = error.split(':');
  if (name === BrokenChain.name) return 'chain-broken';
  return name === UndecodableEvent.name ? 'event-unreadable' : 'not-applied';
};

/**
 * One entry for each projection; broken chains first, then oldest first.
 * @param limit maximum of entries
 */
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
