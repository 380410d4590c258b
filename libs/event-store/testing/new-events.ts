import type { NonEmpty } from '@app/kernel';
import { eventId } from '../core/names-and-ids';
import type { EventId, NewEvent, StoredEvent, StreamName } from '../core/port';

export const idOf = (name: string): EventId => eventId('test-ids' as StreamName, name, 0);

export const newEvent = (name: string, more: Partial<NewEvent> = {}): NewEvent => ({
  id: idOf(name),
  type: 'Tested',
  data: JSON.stringify({ name }),
  metadata: '{"schemaVersion":1}',
  ...more,
});

export const newEvents = (first: string, ...rest: readonly string[]): NonEmpty<NewEvent> => [
  newEvent(first),
  ...rest.map((name) => newEvent(name)),
];

export const collect = async (events: AsyncIterable<StoredEvent>): Promise<readonly StoredEvent[]> => {
  const all: StoredEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};
