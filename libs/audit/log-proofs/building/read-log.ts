import type { EventStore, Position, StoredEvent } from '@app/event-store';

/** A log for reading. */
export type ReadableLog = Pick<EventStore, 'subscribe' | 'head' | 'comparePositions' | 'read'>;

/** Events of one log in the order of positions, up to those that were there when the read began. @throws StoreUnavailable, BrokenChain */
export async function* eventsAfter(log: ReadableLog, after: Position | 'start'): AsyncGenerator<StoredEvent, undefined> {
  const subscription = log.subscribe('all', after);
  try {
    for await (const item of subscription) {
      if (item.kind === 'caught-up') return undefined;
      if (item.kind === 'event') yield item.event;
    }
  } finally {
    await subscription.cancel();
  }
  return undefined;
}
