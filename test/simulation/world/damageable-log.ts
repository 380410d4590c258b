import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { EventStore, Position, StoredEvent, Subscription, SubscriptionItem } from '@app/event-store';
import type { Clock, Instant } from '@app/kernel';

export class DamageableLog implements EventStore {
  #store: MemoryEventStore;
  readonly #edited = new Map<string, string>();

  constructor(private readonly clock: Clock) {
    this.#store = new MemoryEventStore(clock);
  }

  append(...given: Parameters<EventStore['append']>): ReturnType<EventStore['append']> {
    return this.#store.append(...given);
  }

  async *read(...given: Parameters<EventStore['read']>): AsyncIterable<StoredEvent> {
    for await (const event of this.#store.read(...given)) yield this.#asFound(event);
  }

  subscribe(...given: Parameters<EventStore['subscribe']>): Subscription {
    const session = this.#store.subscribe(...given);
    const asFound = (event: StoredEvent): StoredEvent => this.#asFound(event);
    async function* items(): AsyncGenerator<SubscriptionItem> {
      for await (const item of session) yield item.kind === 'event' ? { ...item, event: asFound(item.event) } : item;
    }
    return { [Symbol.asyncIterator]: items, cancel: () => session.cancel() };
  }

  head(...given: Parameters<EventStore['head']>): Promise<Position> {
    return this.#store.head(...given);
  }

  comparePositions(a: Position, b: Position): number {
    return this.#store.comparePositions(a, b);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  edit(id: string, data: string): void {
    this.#edited.set(id, data);
  }

  /** Keeps only these first events. No process may have the log open. */
  async cutTo(events: readonly StoredEvent[]): Promise<void> {
    let writtenMs: Instant | undefined;
    const shorter = new MemoryEventStore({ now: () => writtenMs ?? this.clock.now() });
    for (const { stream, revision, id, type, data, metadata, createdMs } of events) {
      writtenMs = createdMs as Instant;
      const before = revision === 0n ? 'no_stream' : ((revision - 1n) as StoredEvent['revision']);
      await shorter.append(stream, before, [{ id, type, data, metadata }]);
    }
    writtenMs = undefined;
    await this.#store.close();
    this.#store = shorter;
  }

  #asFound(event: StoredEvent): StoredEvent {
    const data = this.#edited.get(event.id);
    return data === undefined ? event : { ...event, data };
  }
}
