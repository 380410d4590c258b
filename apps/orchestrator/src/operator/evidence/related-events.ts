import type { Json, OrderTrails, RelatedEvent } from '@app/audit';
import { categoryOf, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import { ORDER_STATUS_CATEGORIES } from '@app/projections';

const ORDER_CATEGORIES: ReadonlySet<string> = new Set(ORDER_STATUS_CATEGORIES);
/** Streams that hold events of many orders. */
const SHARED: ReadonlySet<string> = new Set(['operator']);
const NAMES: Readonly<Record<string, string>> = { cardReference: 'card' };

const nameOf = (category: string): string => (ORDER_CATEGORIES.has(category) ? 'order' : (NAMES[category] ?? category));

/** An order has more events around it than a pack may hold. */
export class TooManyEvents extends Error {
  override readonly name = 'TooManyEvents';
}

/**
 * The events of an order's trail as they are stored.
 * @throws TooManyEvents; what the store throws
 */
export const relatedEvents = async (
  trails: Pick<OrderTrails, 'of'>,
  log: Pick<EventStore, 'read'>,
  stream: StreamName,
  deadline?: Deadline,
): Promise<readonly RelatedEvent[]> => {
  const trail = await trails.of(stream, { isRevealed: false, ...(deadline !== undefined && { deadline }) });
  if (trail?.isCutShort === true) throw new TooManyEvents('there are more events around this order than a pack may hold');
  const entries = trail?.entries ?? [];
  const stored = new Map<string, StoredEvent>();
  for (const name of new Set(entries.map((entry) => entry.stream)))
    for await (const event of log.read(name, undefined, deadline)) stored.set(event.id, event);
  return entries.flatMap(({ eventId, stream: name, data }) => {
    const event = stored.get(eventId);
    const category = categoryOf(name);
    return event === undefined
      ? []
      : [{ stored: event, of: nameOf(category), shown: data as Json, isOfWholeStream: !SHARED.has(category) }];
  });
};
