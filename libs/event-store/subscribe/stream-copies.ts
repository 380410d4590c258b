import { BoundedMap, type NonEmpty } from '@app/kernel';
import type { Revision, StoredEvent, StreamName } from '../core/port';

const STREAMS_MAX = 4_000;
const EVENTS_PER_STREAM_MAX = 16;
const CHARACTERS_PER_STREAM_MAX = 16_384;

/** Copies of short streams that changed lately, each from its first event. Longer ones are forgotten, and the oldest if there are many. */
export class StreamCopies {
  readonly #streams = new BoundedMap<StreamName, readonly StoredEvent[]>(STREAMS_MAX);

  get(stream: StreamName): readonly StoredEvent[] | undefined {
    return this.#streams.get(stream);
  }

  /** Without a copy, as of a missing stream. */
  async *read(stream: StreamName, from = 0n as Revision): AsyncGenerator<StoredEvent, undefined> {
    yield* this.#streams.get(stream)?.slice(Number(from)) ?? [];
    return undefined;
  }

  keep(stream: StreamName, events: readonly StoredEvent[]): void {
    const characters = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    const isShort = events.length <= EVENTS_PER_STREAM_MAX && characters <= CHARACTERS_PER_STREAM_MAX;
    if (events.length > 0 && isShort) this.#streams.set(stream, events);
    else this.forget(stream);
  }

  /** Ignores events that the copy contains. After a gap, or if the copy is of another log, the stream is forgotten. */
  extend(events: NonEmpty<StoredEvent>): void {
    const [{ stream, revision, id }] = events;
    const known = this.#streams.get(stream) ?? [];
    const from = Number(revision);
    if (known.length >= from + events.length && known[from]?.id === id) return;
    if (known.length === from) this.keep(stream, [...known, ...events]);
    else this.forget(stream);
  }

  forget(stream: StreamName): void {
    this.#streams.delete(stream);
  }
}
