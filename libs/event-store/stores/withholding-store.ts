import type { Deadline, NonEmpty } from '@app/kernel';
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
} from '../core/port';

/** Why an event may not be written by this service; undefined where it may. */
export type Withheld = (stream: StreamName, event: NewEvent) => string | undefined;

/** A log in which some streams may only be read. To who would write them it is unavailable: nothing was stored, and it may be asked again. */
export class WithholdingStore implements EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly withheld: Withheld,
  ) {}

  append(stream: StreamName, expected: 'no_stream' | Revision, events: NonEmpty<NewEvent>, limitMs?: number): Promise<Appended | Conflict> {
    for (const event of events) {
      const why = this.withheld(stream, event);
      if (why !== undefined) return Promise.reject(new StoreUnavailable(`${stream} is not written: ${why}`));
    }
    return this.store.append(stream, expected, events, limitMs);
  }

  read(stream: StreamName, from?: Revision, deadline?: Deadline): AsyncIterable<StoredEvent> {
    return this.store.read(stream, from, deadline);
  }

  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription {
    return this.store.subscribe(categories, after);
  }

  head(deadline?: Deadline): Promise<Position> {
    return this.store.head(deadline);
  }

  assertRoom(): Promise<void> {
    return this.store.assertRoom?.() ?? Promise.resolve();
  }

  comparePositions(a: Position, b: Position): number {
    return this.store.comparePositions(a, b);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
