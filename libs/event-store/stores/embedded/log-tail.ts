import type { NonEmpty } from '@app/kernel';
import type { Position, StoredEvent } from '../../core/port';
import { categoryOf } from '../../core/stream-name';
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
