import { categoryOf, metadataOf, type AnyEvent, type EventMetadata, type EventStore, type StoredEvent } from '@app/event-store';

export type EventLog = Pick<EventStore, 'read' | 'subscribe' | 'head' | 'comparePositions'>;

export interface LogEvent<Event extends AnyEvent = AnyEvent> {
  readonly stream: StoredEvent['stream'];
  readonly category: string;
  readonly id: StoredEvent['id'];
  readonly revision: StoredEvent['revision'];
  readonly position: StoredEvent['position'];
  readonly event: Event;
  readonly metadata: EventMetadata;
}

/**
 * Decodes by the codec of the event's category; undefined for a category without readers.
 * @throws UndecodableEvent
 */
export type Decode = (stored: StoredEvent) => AnyEvent | undefined;

/** Parses metadata only on use, because most projections need them for few events. */
class DecodedEvent<Event extends AnyEvent> implements LogEvent<Event> {
  readonly stream: StoredEvent['stream'];
  readonly category: string;
  readonly id: StoredEvent['id'];
  readonly revision: StoredEvent['revision'];
  readonly position: StoredEvent['position'];
  readonly event: Event;
  readonly isReadable = true;
  readonly #metadataText: string;
  #metadata: EventMetadata | undefined;

  constructor({ stream, id, revision, position, metadata }: StoredEvent, category: string, event: Event) {
    this.stream = stream;
    this.category = category;
    this.id = id;
    this.revision = revision;
    this.position = position;
    this.event = event;
    this.#metadataText = metadata;
  }

  get metadata(): EventMetadata {
    this.#metadata ??= metadataOf({ metadata: this.#metadataText });
    return this.#metadata;
  }
}

export const logEventOf = <Event extends AnyEvent>(stored: StoredEvent, event: Event): LogEvent<Event> =>
  new DecodedEvent(stored, categoryOf(stored.stream), event);

/** An event that cannot be decoded keeps its position, so that its stream can be parked there. */
export type BatchEvent =
  | (LogEvent & { readonly isReadable: true })
  | (Pick<LogEvent, 'stream' | 'category' | 'id' | 'revision' | 'position'> & { readonly isReadable: false; readonly error: unknown });

/**
 * Decodes each event once for all projections, and leaves out events of other categories.
 * @param faults events that break their stream's chain
 */
export const readBatch = (
  batch: readonly StoredEvent[],
  categories: ReadonlySet<string>,
  decode: Decode,
  faults: ReadonlyMap<StoredEvent, Error>,
): BatchEvent[] => {
  const events: BatchEvent[] = [];
  for (const stored of batch) {
    const category = categoryOf(stored.stream);
    if (!categories.has(category)) continue;
    try {
      const fault = faults.get(stored);
      if (fault !== undefined) throw fault;
      const event = decode(stored);
      if (event !== undefined) events.push(new DecodedEvent(stored, category, event));
    } catch (error) {
      const { stream, id, revision, position } = stored;
      events.push({ stream, category, id, revision, position, isReadable: false, error });
    }
  }
  return events;
};

export const eventsOf = (batch: readonly BatchEvent[], categories: ReadonlySet<string>): readonly BatchEvent[] =>
  batch.every(({ category }) => categories.has(category)) ? batch : batch.filter(({ category }) => categories.has(category));
