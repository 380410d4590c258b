import { assertInTime, type EventStore, type Position, type StoredEvent } from '@app/event-store';
import type { Deadline } from '@app/kernel';

/** A log for reading. */
export type ReadableLog = Pick<EventStore, 'subscribe' | 'head' | 'comparePositions' | 'read'>;

/**
 * Events of one log in the order of positions, up to those that were there when the read began.
 * @throws StoreUnavailable also where the deadline is over; BrokenChain
 */
export async function* eventsAfter(
  log: ReadableLog,
  after: Position | 'start',
  deadline?: Deadline,
): AsyncGenerator<StoredEvent, undefined> {
  assertInTime(deadline);
  const subscription = log.subscribe('all', after);
  // A log that is away yields nothing, so that only the end of the subscription ends the wait.
  const forget = deadline?.whenOver(() => void subscription.cancel());
  try {
    for await (const item of subscription) {
      assertInTime(deadline);
      if (item.kind === 'caught-up') return undefined;
      if (item.kind === 'event') yield item.event;
    }
  } finally {
    forget?.();
    await subscription.cancel();
  }
  assertInTime(deadline);
  return undefined;
}
