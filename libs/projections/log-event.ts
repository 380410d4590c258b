import { categoryOf, metadataOf, type AnyEvent, type EventMetadata, type StoredEvent } from '@app/event-store';

/** An event as the projections see it: where it stands in the log, what it says, and what its envelope says of it. */
export interface LogEvent<Event extends AnyEvent = AnyEvent> {
  readonly stream: StoredEvent['stream'];
  readonly category: string;
  readonly id: StoredEvent['id'];
  readonly revision: StoredEvent['revision'];
  readonly position: StoredEvent['position'];
  readonly event: Event;
  readonly metadata: EventMetadata;
}

/** By the codec of the event's category, or undefined for a category that nobody reads. @throws UndecodableEvent */
export type Decode = (stored: StoredEvent) => AnyEvent | undefined;

export const logEventOf = <Event extends AnyEvent>(stored: StoredEvent, event: Event): LogEvent<Event> => ({
  stream: stored.stream,
  category: categoryOf(stored.stream),
  id: stored.id,
  revision: stored.revision,
  position: stored.position,
  event,
  metadata: metadataOf(stored),
});

/** An event of a batch; one that cannot be read still has its place, so that its stream can be parked there. */
export type BatchEvent =
  | (LogEvent & { readonly isReadable: true })
  | (Pick<LogEvent, 'stream' | 'category' | 'id' | 'revision' | 'position'> & { readonly isReadable: false; readonly error: unknown });

/** Each event is decoded once, however many projections fold it; what is of no category that is read is left out. */
export const readBatch = (batch: readonly StoredEvent[], categories: ReadonlySet<string>, decode: Decode): BatchEvent[] => {
  const events: BatchEvent[] = [];
  for (const stored of batch) {
    const { stream, id, revision, position } = stored;
    const category = categoryOf(stream);
    if (!categories.has(category)) continue;
    try {
      const event = decode(stored);
      if (event === undefined) continue;
      events.push({ stream, category, id, revision, position, event, metadata: metadataOf(stored), isReadable: true });
    } catch (error) {
      events.push({ stream, category, id, revision, position, isReadable: false, error });
    }
  }
  return events;
};
