import { assertAppendable } from './append-guard';
import { EventRefused, type EventId, type NewEvent, type Revision, type StreamName } from './port';

const event = (changed: Partial<NewEvent> = {}): NewEvent => ({
  id: '00000000-0000-5000-8000-000000000001' as EventId,
  type: 'Happened',
  data: '{}',
  metadata: '{}',
  ...changed,
});
const appended =
  (stream: string, changed: Partial<NewEvent> = {}, expected: 'no_stream' | bigint = 'no_stream') =>
  () =>
    assertAppendable(stream as StreamName, expected as 'no_stream' | Revision, [event(changed)]);
const type = (name: string) => ({ type: name });

const LONGEST = 'n'.repeat(1_024);
const BROKEN_PAIR = 'order-\ud800';

describe('assertAppendable', () => {
  it.each([
    ['an empty name', '', 'the stream name is empty'],
    ['a name of more than 1,024 characters', `${LONGEST}n`, 'the stream name is longer than 1024 characters'],
    ['a name with a NUL', 'order-\0', 'the stream name holds a NUL'],
    ['a name with half a surrogate pair', BROKEN_PAIR, 'the stream name is no UTF-16'],
    ['a name of the store’s own', '$all', '$all: names that begin with $ are the store'],
  ])('throws EventRefused for %s', (_what, name, message) => {
    expect(appended(name)).toThrow(EventRefused);
    expect(appended(name)).toThrow(message);
  });

  it.each([
    ['an empty type', type(''), "order-1: an event's type is empty"],
    ['a type of more than 1,024 characters', type(`${LONGEST}n`), "order-1: an event's type is longer than 1024 characters"],
    ['a type with half a surrogate pair', type(BROKEN_PAIR), "order-1: an event's type is no UTF-16"],
    ['data with half a surrogate pair', { data: `"${BROKEN_PAIR}"` }, 'order-1 Happened: not UTF-16'],
    ['an id that is all zero', { id: '00000000-0000-0000-0000-000000000000' as EventId }, 'an event id is a UUID'],
  ])('throws EventRefused for an event with %s', (_what, changed, message) => {
    expect(appended('order-1', changed)).toThrow(EventRefused);
    expect(appended('order-1', changed)).toThrow(message);
  });

  it.each([-1n, BigInt(Number.MAX_SAFE_INTEGER) + 1n])('throws for expected revision %s', (revision) => {
    expect(appended('order-1', {}, revision)).toThrow('order-1: an exact revision or no_stream is expected');
  });

  it('accepts a stream name and an event type of 1,024 characters', () => {
    expect(appended(LONGEST, type(LONGEST))).not.toThrow();
  });
});
