import type { Deadline, NonEmpty } from '@app/kernel';
import {
  OutcomeUnknown,
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

/** A failure of one append (safety, section 4.1). A `rival` writes just before it. */
export type Stumble =
  | { readonly kind: 'refused' }
  | { readonly kind: 'stored-answer-lost' }
  | { readonly kind: 'not-stored-answer-lost' }
  | { readonly kind: 'rival'; readonly write: () => Promise<unknown> };

export class StumblingStore implements EventStore {
  readonly #store: EventStore;
  readonly #stumbles: Stumble[] = [];
  appends = 0;
  reads = 0;
  isAway = false;

  constructor(store: EventStore) {
    this.#store = store;
  }

  stumble(...stumbles: readonly Stumble[]): this {
    this.#stumbles.push(...stumbles);
    return this;
  }

  async append(
    stream: StreamName,
    expected: 'no_stream' | Revision,
    events: NonEmpty<NewEvent>,
    _limitMs?: number,
  ): Promise<Appended | Conflict> {
    this.appends += 1;
    this.#assertHere();
    const stumble = this.#stumbles.shift();
    if (stumble?.kind === 'refused') throw new StoreUnavailable('refused');
    if (stumble?.kind === 'not-stored-answer-lost') throw new OutcomeUnknown('lost');
    if (stumble?.kind === 'rival') await stumble.write();
    const answer = await this.#store.append(stream, expected, events);
    if (stumble?.kind === 'stored-answer-lost') throw new OutcomeUnknown('lost');
    return answer;
  }

  read(stream: StreamName, from?: Revision, deadline?: Deadline): AsyncIterable<StoredEvent> {
    this.reads += 1;
    this.#assertHere();
    return this.#store.read(stream, from, deadline);
  }

  subscribe(categories: readonly string[] | 'all', after: Position | 'start'): Subscription {
    this.#assertHere();
    return this.#store.subscribe(categories, after);
  }

  async head(deadline?: Deadline): Promise<Position> {
    this.#assertHere();
    return this.#store.head(deadline);
  }

  comparePositions(a: Position, b: Position): number {
    return this.#store.comparePositions(a, b);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #assertHere(): void {
    if (this.isAway) throw new StoreUnavailable('away');
  }
}
