import type { NonEmpty } from '@app/kernel';
import type { StoredEvent, StreamName } from '../../core/port';

const STREAMS_MAX = 4_000;
const EVENTS_PER_STREAM_MAX = 16;
const CHARACTERS_PER_STREAM_MAX = 16_384;

/**
 * Caches short streams for the one process that may write this log, so that a card reference which is charged every second is read from the file once,
 * and an order in progress not at all.
 *
 * The cache is exact. While an append is under way its stream is not served from here, since a subscription may see the events in the file before the
 * answer arrives; with the answer, the events are added or the stream is dropped.
 */
export class RecentStreams {
  readonly #streams = new Map<StreamName, readonly StoredEvent[]>();
  /** Counts of appends without an answer, by stream. */
  readonly #underWay = new Map<StreamName, number>();

  get(stream: StreamName): readonly StoredEvent[] | undefined {
    return this.#underWay.has(stream) ? undefined : this.#streams.get(stream);
  }

  /** Call it before an append is sent; `end` must follow once its outcome is known. */
  begin(stream: StreamName): void {
    this.#underWay.set(stream, (this.#underWay.get(stream) ?? 0) + 1);
  }

  /** @param appended undefined where the content of the stream is no longer known */
  end(stream: StreamName, appended: NonEmpty<StoredEvent> | undefined): void {
    const left = (this.#underWay.get(stream) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(stream);
    else this.#underWay.set(stream, left);
    if (appended === undefined) this.#streams.delete(stream);
    else this.#extend(stream, appended);
  }

  /** Caches a whole stream unless it is empty or long. */
  keep(stream: StreamName, events: readonly StoredEvent[]): void {
    this.#streams.delete(stream);
    if (events.length === 0 || events.length > EVENTS_PER_STREAM_MAX) return;
    if (events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0) > CHARACTERS_PER_STREAM_MAX) return;
    this.#streams.set(stream, events);
    if (this.#streams.size <= STREAMS_MAX) return;
    const [eldest] = this.#streams.keys();
    if (eldest !== undefined) this.#streams.delete(eldest);
  }

  /** Adds events to a cached stream; one whose beginning is not cached is dropped. */
  #extend(stream: StreamName, appended: NonEmpty<StoredEvent>): void {
    const known = this.#streams.get(stream) ?? [];
    const from = Number(appended[0].revision);
    // A read after the commit has already cached these events.
    if (known.length >= from + appended.length) return;
    if (known.length === from) this.keep(stream, [...known, ...appended]);
    else this.#streams.delete(stream);
  }
}
