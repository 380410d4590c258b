import type { EventId, Position, Revision, StoredEvent, StreamName } from './port';

/** One flat list for transfer between threads, because cloning objects costs more than cloning their values. */
export type FlatEvents = readonly (string | number)[];

const MEMBERS = 8;

export const flatEvents = (events: readonly StoredEvent[]): FlatEvents => {
  const flat: (string | number)[] = [];
  for (const { position, stream, revision, id, type, createdMs, metadata, data } of events)
    flat.push(position, stream, Number(revision), id, type, createdMs, metadata, data);
  return flat;
};

export const fromFlatEvents = (flat: FlatEvents): readonly StoredEvent[] => {
  const events: StoredEvent[] = [];
  for (let at = 0; at < flat.length; at += MEMBERS)
    events.push({
      id: flat[at + 3] as EventId,
      type: flat[at + 4] as string,
      data: flat[at + 7] as string,
      metadata: flat[at + 6] as string,
      stream: flat[at + 1] as StreamName,
      revision: BigInt(flat[at + 2] as number) as Revision,
      position: flat[at] as Position,
      createdMs: flat[at + 5] as number,
    });
  return events;
};
