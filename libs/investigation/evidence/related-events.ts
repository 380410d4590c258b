import { categoryOf, metadataOf, type StoredEvent, type StreamName } from '@app/event-store';
import type { Deadline, Instant } from '@app/kernel';
import { ORDER_STATUS_CATEGORIES } from '@app/read-models';
import type { OrderTrails } from '../orders/order-trail';
import type { Json } from './evidence-pack';

/** No pack can be made of an order. */
export class NoEvidence extends Error {
  override readonly name = 'NoEvidence';

  /** @param isLater whether the same question may be answered later: no signed checkpoint covers the events yet, or their proofs cannot be read */
  constructor(
    reason: string,
    readonly isLater = false,
  ) {
    super(reason);
  }
}

/** An event that belongs to an order, in its own stream or in another. */
export interface RelatedEvent {
  readonly stored: StoredEvent;
  /** What its stream is about: `order`, `card`, `delivery`, `operator`. */
  readonly of: string;
  /** Its data for people, with what is sealed or charges a card left out. */
  readonly shown: Json;
  /** Whether all events of its stream belong to the order. */
  readonly isOfWholeStream: boolean;
}

const ORDER_CATEGORIES: ReadonlySet<string> = new Set(ORDER_STATUS_CATEGORIES);
/** Streams that hold events of many orders. */
const SHARED: ReadonlySet<string> = new Set(['operator']);
const NAMES: Readonly<Record<string, string>> = { cardReference: 'card' };

const nameOf = (category: string): string => (ORDER_CATEGORIES.has(category) ? 'order' : (NAMES[category] ?? category));

/**
 * The events of an order's trail as they are stored, without the questions: nothing happened by them, and no number of them may keep a pack from being made.
 * @throws NoEvidence where there are more than a pack may hold; what the store throws
 */
export const relatedEvents = async (trails: OrderTrails, stream: StreamName, deadline?: Deadline): Promise<readonly RelatedEvent[]> => {
  const trail = await trails.of(stream, { isRevealed: false, areQuestionsTold: false, ...(deadline !== undefined && { deadline }) });
  if (trail === undefined) return [];
  if (trail.isCutShort) throw new NoEvidence('there are more events around this order than a pack may hold');
  return trail.events.map((stored, at) => {
    const category = categoryOf(stored.stream);
    const shown = (trail.entries[at]?.data ?? null) as Json;
    return { stored, of: nameOf(category), shown, isOfWholeStream: !SHARED.has(category) };
  });
};

/**
 * The events that were on record at a time. Of a stream that belongs to the order as a whole none is left out between two others, whatever the clocks of
 * two processes said: an event is on record no earlier than the one before it.
 */
export const onRecordAt = (events: readonly RelatedEvent[], at: Instant): readonly RelatedEvent[] => {
  const ended = new Set<StreamName>();
  return events.filter(({ stored, isOfWholeStream }) => {
    const isLater = metadataOf(stored).recordedAt > at;
    if (isLater && isOfWholeStream) ended.add(stored.stream);
    return !isLater && !ended.has(stored.stream);
  });
};
