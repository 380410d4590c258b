import type { AnyEvent, Position, StoredEvent } from '@app/event-store';
import { decodeAny } from '@app/read-models/queries';
import type { EventLogReader } from '../service/event-log';

/** Events of a category that hold the text and match the condition, from a position to the end of the log; unreadable events are skipped. */
export const scanCategory = async (
  log: EventLogReader,
  category: string,
  after: Position | 'start',
  text: string,
  matches: (event: AnyEvent) => boolean,
): Promise<readonly StoredEvent[]> => {
  const found: StoredEvent[] = [];
  const subscription = log.subscribe([category], after);
  try {
    for await (const item of subscription) {
      if (item.kind === 'caught-up') break;
      // Decoding costs more than a search of the text, which few events hold.
      if (item.kind !== 'event' || !item.event.data.includes(text)) continue;
      const event = readable(item.event);
      if (event !== undefined && matches(event)) found.push(item.event);
    }
  } finally {
    await subscription.cancel();
  }
  return found;
};

const readable = (stored: StoredEvent): AnyEvent | undefined => {
  try {
    return decodeAny(stored);
  } catch {
    return undefined;
  }
};
