import type { NonEmpty } from '@app/kernel';
import type { Position, StoredEvent, StreamName } from '../../core/port';
import { categoryOf } from '../../core/names-and-ids';
import type { LogPage } from '../../subscribe/cursor-subscription';
import { StreamCopies } from '../../subscribe/stream-copies';

const EVENTS_MAX = 1_000;
/** A limit in characters, because few long events can take as much memory as many short ones. */
const CHARACTERS_MAX = 4_000_000;

const lengthOf = ({ data, metadata }: StoredEvent): number => data.length + metadata.length;

/**
 * Caches the newest events of a log with one writer, so that live subscriptions need not read them from the file. Only committed events are
 * added; later damage of the file is detected by its readers.
 */
export class LogTail {
  #events: StoredEvent[] = [];
  #characters = 0;

  /** @param appended in the order of commits; after a gap, the cache starts again from these events */
  add(appended: NonEmpty<StoredEvent>): void {
    const last = this.#events.at(-1);
    const isNext = last !== undefined && Number(appended[0].position) === Number(last.position) + 1;
    if (!isNext) {
      this.#events = [];
      this.#characters = 0;
      // Older than the cached events: starting again here would hide newer events and report the end too early.
      if (last !== undefined && Number(appended[0].position) <= Number(last.position)) return;
    }
    for (const event of appended) {
      this.#events.push(event);
      this.#characters += lengthOf(event);
    }
    if (this.#events.length > 2 * EVENTS_MAX || this.#characters > CHARACTERS_MAX) this.#shorten();
  }

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

/**
 * Caches short streams for the one process that writes this log, such as an order in progress. During an append its stream is not served,
 * because a subscription may see the events before the response arrives.
 */
export class RecentStreams {
  readonly #copies = new StreamCopies();
  readonly #underWay = new Map<StreamName, number>();

  get(stream: StreamName): readonly StoredEvent[] | undefined {
    return this.#underWay.has(stream) ? undefined : this.#copies.get(stream);
  }

  /** Call it before an append is sent, and `end` once its outcome is known. */
  begin(stream: StreamName): void {
    this.#underWay.set(stream, (this.#underWay.get(stream) ?? 0) + 1);
  }

  /** @param appended undefined if the stream's content is now unknown */
  end(stream: StreamName, appended: NonEmpty<StoredEvent> | undefined): void {
    const left = (this.#underWay.get(stream) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(stream);
    else this.#underWay.set(stream, left);
    if (appended === undefined) this.#copies.forget(stream);
    else this.#copies.extend(appended);
  }

  keep(stream: StreamName, events: readonly StoredEvent[]): void {
    this.#copies.keep(stream, events);
  }
}
