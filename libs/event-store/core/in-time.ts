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
} from './port';

export const eventLoopTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export const deadlinePassed = (): StoreUnavailable => new StoreUnavailable('the time of the request is over');

export const assertInTime = (deadline: Deadline | undefined): void => {
  if (deadline?.isOver === true) throw deadlinePassed();
};

class StoreWithin implements EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly deadline: Deadline,
  ) {}

  append(stream: StreamName, expected: 'no_stream' | Revision, events: NonEmpty<NewEvent>, limitMs?: number): Promise<Appended | Conflict> {
    return this.store.append(stream, expected, events, limitMs);
  }

  read(stream: StreamName, from?: Revision, deadline = this.deadline): AsyncIterable<StoredEvent> {
    return this.store.read(stream, from, deadline);
  }

  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription {
    return this.store.subscribe(categories, after);
  }

  head(deadline = this.deadline): Promise<Position> {
    return this.store.head(deadline);
  }

  comparePositions(a: Position, b: Position): number {
    return this.store.comparePositions(a, b);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

/**
 * The same log with a deadline on each read, for work that a request waits for. `RequestDeadlines` limits the appends.
 * @param deadline if undefined, returns the store itself
 */
export const storeWithin = (store: EventStore, deadline: Deadline | undefined): EventStore =>
  deadline === undefined ? store : new StoreWithin(store, deadline);

export const readsWithin = (log: Pick<EventStore, 'read'>, deadline: Deadline | undefined): Pick<EventStore, 'read'> =>
  deadline === undefined ? log : { read: (stream, from) => log.read(stream, from, deadline) };
