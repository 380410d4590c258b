import type { NonEmpty } from '@app/kernel';
import type { StoredEvent, StreamName } from '../port';

const STREAMS_MAX = 4_000;
const EVENTS_PER_STREAM_MAX = 16;
const CHARACTERS_PER_STREAM_MAX = 16_384;

/**
 * Short streams as they were last read or written, for the one process that may write this log: exact, because what is appended is put here, or its
 * stream dropped, before the append is acknowledged. A card reference that is charged every second is read from the file once, an order that runs its
 * course not at all.
 */
export class RecentStreams {
  readonly #streams = new Map<StreamName, readonly StoredEvent[]>();

  get(stream: StreamName): readonly StoredEvent[] | undefined {
    return this.#streams.get(stream);
  }

  /** The whole stream; an empty or a long one is not kept. */
  keep(stream: StreamName, events: readonly StoredEvent[]): void {
    this.#streams.delete(stream);
    if (events.length === 0 || events.length > EVENTS_PER_STREAM_MAX) return;
    if (events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0) > CHARACTERS_PER_STREAM_MAX) return;
    this.#streams.set(stream, events);
    if (this.#streams.size <= STREAMS_MAX) return;
    const [eldest] = this.#streams.keys();
    if (eldest !== undefined) this.#streams.delete(eldest);
  }

  /** What was just appended; of a stream that is not known here from its beginning, nothing is kept. */
  extend(stream: StreamName, appended: NonEmpty<StoredEvent>): void {
    const known = this.#streams.get(stream) ?? [];
    const from = Number(appended[0].revision);
    // Read from the file since the commit.
    if (known.length >= from + appended.length) return;
    if (known.length === from) this.keep(stream, [...known, ...appended]);
    else this.drop(stream);
  }

  drop(stream: StreamName): void {
    this.#streams.delete(stream);
  }
}
