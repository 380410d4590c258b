import type { NonEmpty } from '@app/kernel';
import type { Position, StoredEvent, StreamName } from '../../core/port';
import { categoryOf } from '../../core/names-and-ids';
import type { LogPage } from '../../subscribe/cursor-subscription';

const EVENTS_MAX = 1_000;
/** Long events take the place of many short ones, so that memory stays bounded. */
const CHARACTERS_MAX = 4_000_000;

const lengthOf = ({ data, metadata }: StoredEvent): number => data.length + metadata.length;

/**
 * The newest events of a log that this process alone writes, so that a subscription which keeps up has them from memory and does not read back what was just
 * written. Each event comes in with the answer to its append, when it is on the disk; what is damaged there later is found by who reads the file.
 */
export class LogTail {
  /** Without gaps, in the order of positions. */
  #events: StoredEvent[] = [];
  #characters = 0;

  /** @param appended as committed, in the order of the commits; where something is missing before them, the tail begins anew */
  add(appended: NonEmpty<StoredEvent>): void {
    const last = this.#events.at(-1);
    const isNext = last !== undefined && Number(appended[0].position) === Number(last.position) + 1;
    if (!isNext) {
      this.#events = [];
      this.#characters = 0;
      // Older than what was here: the newest would be missing, and the end would be told too early.
      if (last !== undefined && Number(appended[0].position) <= Number(last.position)) return;
    }
    for (const event of appended) {
      this.#events.push(event);
      this.#characters += lengthOf(event);
    }
    if (this.#events.length > 2 * EVENTS_MAX || this.#characters > CHARACTERS_MAX) this.#shorten();
  }

  /** All events of these categories behind a position; undefined where the file has to be asked. */
  page(categories: ReadonlySet<string> | undefined, after: Position): LogPage | undefined {
    const [first] = this.#events;
    const last = this.#events.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const index = Number(after) + 1 - Number(first.position);
    if (index < 0 || index > this.#events.length) return undefined;
    const behind = this.#events.slice(index);
    return {
      events: categories === undefined ? behind : behind.filter(({ stream }) => categories.has(categoryOf(stream))),
      scannedTo: last.position,
      isAtEnd: true,
    };
  }

  /** Down to half of what is held at most, so that it is seldom done. */
  #shorten(): void {
    let dropped = 0;
    for (const event of this.#events) {
      if (this.#events.length - dropped <= EVENTS_MAX && this.#characters <= CHARACTERS_MAX / 2) break;
      this.#characters -= lengthOf(event);
      dropped += 1;
    }
    this.#events = this.#events.slice(dropped);
  }
}

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
