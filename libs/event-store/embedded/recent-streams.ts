import type { StoredEvent, StreamName } from '../port';

const STREAMS_MAX = 4_000;
const EVENTS_PER_STREAM_MAX = 16;
const CHARACTERS_PER_STREAM_MAX = 16_384;

/**
 * Short streams as they were last read, for the one process that may write this log: exact, because a stream is dropped here before an append
 * to it is acknowledged. A card reference that is charged every second is read from the file once.
 */
export class RecentStreams {
  readonly #streams = new Map<StreamName, readonly StoredEvent[]>();

  get(stream: StreamName): readonly StoredEvent[] | undefined {
    return this.#streams.get(stream);
  }

  /** The whole stream; an empty or a long one is not kept. */
  keep(stream: StreamName, events: readonly StoredEvent[]): void {
    if (events.length === 0 || events.length > EVENTS_PER_STREAM_MAX) return;
    if (events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0) > CHARACTERS_PER_STREAM_MAX) return;
    if (this.#streams.size >= STREAMS_MAX) {
      const [eldest] = this.#streams.keys();
      if (eldest !== undefined) this.#streams.delete(eldest);
    }
    this.#streams.set(stream, events);
  }

  drop(stream: StreamName): void {
    this.#streams.delete(stream);
  }
}
