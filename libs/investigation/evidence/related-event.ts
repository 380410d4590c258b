import { metadataOf, type StoredEvent, type StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import type { Json } from './evidence';

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
