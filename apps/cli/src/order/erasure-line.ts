import { ERASURE_CATEGORY, evolve, NOTHING_ERASED, type Erasure, type ErasureEvent, type ErasureJson } from '@app/investigation/erasure';
import { categoryOf } from '@app/event-store';
import type { StoryEvent } from './timeline-event';

/** What of an order was erased, by the events of its story. */
export const erasureIn = (events: readonly StoryEvent[]): Erasure =>
  events.reduce(
    (state, one) =>
      one.isReadable && categoryOf(one.stored.stream) === ERASURE_CATEGORY ? evolve(state, one.event as ErasureEvent) : state,
    NOTHING_ERASED,
  );

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** For people: one line for each erasure, and one where the order is held; none for most orders. */
export const erasureLines = ({ heldSince, underWay, done = [] }: Partial<ErasureJson> = {}): readonly string[] => [
  ...(heldSince === undefined ? [] : [`under legal hold since ${heldSince}`]),
  ...done.map(
    ({ erasedAt, texts, cards, cause, requestId }) =>
      `erased ${erasedAt} ${cause === 'request' ? 'on request' : 'by age'}: ${counted(texts, 'key')} of texts, ${counted(cards, 'card')}, request ${requestId}`,
  ),
  ...(underWay === undefined ? [] : [`is being erased since ${underWay.requestedAt}, request ${underWay.requestId}`]),
];
