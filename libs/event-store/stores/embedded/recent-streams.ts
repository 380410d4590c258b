import type { NonEmpty } from '@app/kernel';
import type { StoredEvent, StreamName } from '../../core/port';

const STREAMS_MAX = 4_000;
const EVENTS_PER_STREAM_MAX = 16;
const CHARACTERS_PER_STREAM_MAX = 16_384;

/**
 * Short streams as they were last read or written, for the one process that may write this log. A card reference that is charged every second is read
 * from the file once, an order that runs its course not at all.
 *
 * Exact: while an append is under way nothing is told of its stream, for a subscription may see it in the file before its answer comes; and what was
 * appended is put here, or its stream dropped, when the answer is there.
 */
export class RecentStreams {
  readonly #streams = new Map<StreamName, readonly StoredEvent[]>();
  /** Appends that have no answer yet. */
  readonly #underWay = new Map<StreamName, number>();

  get(stream: StreamName): readonly StoredEvent[] | undefined {
    return this.#underWay.has(stream) ? undefined : this.#streams.get(stream);
  }

  /** An append leaves for the file; `end` follows when its outcome is known. */
  begin(stream: StreamName): void {
    this.#underWay.set(stream, (this.#underWay.get(stream) ?? 0) + 1);
  }

  /** @param appended undefined where it is not known what the stream holds now */
  end(stream: StreamName, appended: NonEmpty<StoredEvent> | undefined): void {
    const left = (this.#underWay.get(stream) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(stream);
    else this.#underWay.set(stream, left);
    if (appended === undefined) this.#streams.delete(stream);
    else this.#extend(stream, appended);
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

  /** Of a stream that is not known here from its beginning, nothing is kept. */
  #extend(stream: StreamName, appended: NonEmpty<StoredEvent>): void {
    const known = this.#streams.get(stream) ?? [];
    const from = Number(appended[0].revision);
    // Read from the file since the commit.
    if (known.length >= from + appended.length) return;
    if (known.length === from) this.keep(stream, [...known, ...appended]);
    else this.#streams.delete(stream);
  }
}
