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

/** A stream that read models skip, with the first event that one of them could not apply. */
export interface ParkedEntry {
  readonly stream: StreamName;
  readonly cause: ParkedCause;
  readonly revision: number;
  readonly eventId: string;
  /** Without data of the event. */
  readonly error: string;
  readonly parkedAt: string;
  readonly projections: readonly string[];
  /** The next step, in words. */
  readonly next: string;
}

const NEXT_STEPS: Readonly<Record<ParkedCause, (stream: string) => string>> = {
  'chain-broken': () => 'the log was changed or damaged: keep its files unchanged, and run orch log verify',
  'event-unreadable': (stream) =>
    `a newer release wrote the event: finish the upgrade, then run orch streams unpark ${stream} --reason ...`,
  'not-applied': (stream) =>
    `run orch streams unpark ${stream} --reason ...; if it stays parked, this release cannot apply the event: install a newer one`,
};

export const parkedByStream = (rows: readonly ParkedStream[]): readonly ParkedEntry[] =>
  [...new Set(rows.map(({ stream }) => stream))].map((stream) => {
    const ofStream = rows.filter((row) => row.stream === stream);
    const first = ofStream.reduce((least, row) => (row.revision < least.revision ? row : least));
    const cause = parkedCause(first);
    return {
      stream,
      cause,
      revision: first.revision,
      eventId: first.eventId,
      error: first.error,
      parkedAt: new Date(first.parkedAt).toISOString(),
      projections: ofStream.map(({ projection }) => projection),
      next: NEXT_STEPS[cause](stream),
    };
  });
