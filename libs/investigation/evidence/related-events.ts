import { categoryOf, type StreamName } from '@app/event-store';
import type { Deadline } from '@app/kernel';
import { ORDER_STATUS_CATEGORIES } from '@app/read-models';
import type { Json } from './evidence';
import type { OrderTrails } from '../orders/order-trail';
import type { RelatedEvent } from './related-event';

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
 * The events of an order's trail as they are stored, without the questions: nothing happened by them, and no number of them may keep a pack from being made.
 * @throws TooManyEvents; what the store throws
 */
export const relatedEvents = async (
  trails: Pick<OrderTrails, 'of'>,
  stream: StreamName,
  deadline?: Deadline,
): Promise<readonly RelatedEvent[]> => {
  const trail = await trails.of(stream, { isRevealed: false, areQuestionsTold: false, ...(deadline !== undefined && { deadline }) });
  if (trail === undefined) return [];
  if (trail.isCutShort) throw new TooManyEvents('there are more events around this order than a pack may hold');
  return trail.events.map((stored, at) => {
    const category = categoryOf(stored.stream);
    const shown = (trail.entries[at]?.data ?? null) as Json;
    return { stored, of: nameOf(category), shown, isOfWholeStream: !SHARED.has(category) };
  });
};
