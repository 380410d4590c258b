import type { StoredEvent, StreamName } from '@app/event-store';
import { chainedEvents } from '@app/event-store/testing';
import { streamEvents } from './stream-events';

const STREAM = 'payment-long' as StreamName;
const STREAM_EVENTS_MAX = 100_000;

it('streamEvents rejects a stream with more than 100,000 events after one further event', async () => {
  const [event] = chainedEvents(STREAM, 'no_stream', 1, 'request', 'content').events;
  let given = 0;
  const log = {
    read: async function* (): AsyncGenerator<StoredEvent, undefined> {
      for (;;) {
        given += 1;
        yield { ...event, stream: STREAM, revision: 0n, position: '1', createdMs: 0 } as StoredEvent;
      }
    },
  };
  const reading = streamEvents({ log, decode: () => undefined }, new Set(['payment']), STREAM);
  await expect(reading).rejects.toStrictEqual(new Error(`${STREAM} holds more than 100000 events`));
  expect(given).toBe(STREAM_EVENTS_MAX + 1);
});
