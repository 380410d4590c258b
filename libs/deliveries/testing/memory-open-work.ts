import { metadataOf, type EventStore, type OpenWork, type WorkChange, type WorkItem } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { deliveryCodec } from '../delivery.codec';
import { deliveryWork } from '../delivery-work';
import { DELIVERY_CATEGORY } from '../delivery.stream';

/** The deliveries' open work in memory, for tests: what a projection would hold. */
export class MemoryOpenWork implements OpenWork {
  readonly #items = new Map<string, WorkItem>();

  apply(changes: readonly WorkChange[]): void {
    for (const change of changes) {
      if (change.kind === 'due') this.#items.set(change.item.key, change.item);
      else this.#items.delete(change.key);
    }
  }

  get size(): number {
    return this.#items.size;
  }

  async due(now: Instant, limit: number, exceptLanes: readonly string[]): Promise<readonly WorkItem[]> {
    return this.#inOrder()
      .filter(({ dueAt, lane }) => dueAt <= now && !exceptLanes.includes(lane))
      .slice(0, limit);
  }

  async nextDueAt(after: Instant): Promise<Instant | undefined> {
    return this.#inOrder().find(({ dueAt }) => dueAt > after)?.dueAt;
  }

  async postpone({ key, dueAt: readDueAt }: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void> {
    const item = this.#items.get(key);
    if (item?.dueAt === readDueAt) this.#items.set(key, { ...item, dueAt });
  }

  /** Folds the deliveries' streams from the start of the log, and what is appended later; call the answer to end it. */
  follow(store: EventStore, onChange: () => void): () => Promise<void> {
    const subscription = store.subscribe([DELIVERY_CATEGORY], 'start');
    const ended = (async () => {
      for await (const item of subscription) {
        if (item.kind !== 'event') continue;
        const { stream, id } = item.event;
        this.apply(deliveryWork({ stream, id, event: deliveryCodec.decode(item.event), metadata: metadataOf(item.event) }));
        onChange();
      }
    })();
    return async () => {
      await subscription.cancel();
      await ended;
    };
  }

  #inOrder(): WorkItem[] {
    return [...this.#items.values()].sort((a, b) => a.dueAt - b.dueAt);
  }
}
