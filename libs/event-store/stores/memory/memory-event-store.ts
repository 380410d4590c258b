import type { Clock, Deadline, NonEmpty } from '@app/kernel';
import { assertAppendable } from '../../core/append-guard';
import { CursorSubscription, type LogPage } from '../../subscribe/cursor-subscription';
import {
  StoreUnavailable,
  type Appended,
  type Conflict,
  type EventStore,
  type NewEvent,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
  type Subscription,
} from '../../core/port';
import { assertInTime } from '../../core/in-time';
import { categoryOf } from '../../core/names-and-ids';

const PAGE_EVENTS = 500;

/** For unit tests and simulations. It follows all rules of the port, but uses no disk, timers or threads. */
export class MemoryEventStore implements EventStore {
  readonly #clock: Clock;
  readonly #log: StoredEvent[] = [];
  readonly #streams = new Map<StreamName, StoredEvent[]>();
  readonly #subscriptions = new Set<CursorSubscription>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async append(
    stream: StreamName,
    expected: 'no_stream' | Revision,
    events: NonEmpty<NewEvent>,
    _limitMs?: number,
  ): Promise<Appended | Conflict> {
    assertAppendable(stream, expected, events);
    this.#assertOpen();
    const stored = this.#streams.get(stream) ?? [];
    const next = expected === 'no_stream' ? 0 : Number(expected) + 1;
    if (next !== stored.length) {
      const isRetry = events.every(({ id }, index) => stored[next + index]?.id === id);
      const newest = stored.at(-1);
      if (isRetry) return { kind: 'appended', revision: BigInt(next + events.length - 1) as Revision };
      return { kind: 'conflict', actual: newest === undefined ? 'no_stream' : newest.revision };
    }
    const createdMs = this.#clock.now();
    for (const { id, type, data, metadata } of events) {
      const revision = BigInt(stored.length) as Revision;
      const position = String(this.#log.length + 1) as Position;
      const event: StoredEvent = Object.freeze({ id, type, data, metadata, stream, revision, position, createdMs });
      stored.push(event);
      this.#log.push(event);
    }
    this.#streams.set(stream, stored);
    for (const subscription of this.#subscriptions) subscription.wake();
    return { kind: 'appended', revision: BigInt(stored.length - 1) as Revision };
  }

  async *read(stream: StreamName, from: Revision = 0n as Revision, deadline?: Deadline): AsyncIterable<StoredEvent> {
    this.#assertOpen();
    assertInTime(deadline);
    const stored = this.#streams.get(stream) ?? [];
    const length = stored.length;
    for (let index = Number(from); index < length; index++) {
      const event = stored[index];
      if (event !== undefined) yield event;
      assertInTime(deadline);
    }
  }

  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription {
    this.#assertOpen();
    const wanted = categories === 'all' ? undefined : new Set(categories);
    const subscription = new CursorSubscription(
      {
        page: (position) => this.#page(wanted, Number(position)),
        head: () => this.#headPosition(),
        comparePositions: (a, b) => this.comparePositions(a, b),
        yieldToEventLoop: () => Promise.resolve(),
        onEnd: () => void this.#subscriptions.delete(subscription),
      },
      after === 'start' ? ('0' as Position) : after,
    );
    this.#subscriptions.add(subscription);
    return subscription;
  }

  async head(deadline?: Deadline): Promise<Position> {
    this.#assertOpen();
    assertInTime(deadline);
    return this.#headPosition();
  }

  comparePositions(a: Position, b: Position): number {
    return Number(a) - Number(b);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.cancel()));
  }

  #page(wanted: ReadonlySet<string> | undefined, after: number): LogPage {
    const events: StoredEvent[] = [];
    let index = after;
    for (; index < this.#log.length && events.length < PAGE_EVENTS; index++) {
      const event = this.#log[index];
      if (event !== undefined && (wanted?.has(categoryOf(event.stream)) ?? true)) events.push(event);
    }
    return { events, scannedTo: String(index) as Position, isAtEnd: index >= this.#log.length };
  }

  #headPosition(): Position {
    return String(this.#log.length) as Position;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable('the store is closed');
  }
}
