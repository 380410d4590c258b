import { readChained, type EventStore, type StreamName } from '@app/event-store';
import { decodeAny } from '@app/read-models/queries';
import { logEventOf, type LogEvent, type OrderEvent } from '@app/read-models';

/** No order's stream is longer, unless something is wrong. */
const STREAM_EVENTS_MAX = 10_000;

/**
 * All events of one order, with its chain verified.
 * @throws BrokenChain; UndecodableEvent for an event that this release cannot read; Error for a stream that is too long
 */
export const orderHistory = async (log: Pick<EventStore, 'read'>, stream: StreamName): Promise<readonly LogEvent<OrderEvent>[]> => {
  const history: LogEvent<OrderEvent>[] = [];
  for await (const stored of readChained(log, stream)) {
    const event = decodeAny(stored);
    if (event === undefined) throw new Error(`${stream}: not an order`);
    // The codec of the stream's category made it.
    if (history.push(logEventOf(stored, event as OrderEvent)) > STREAM_EVENTS_MAX) {
      throw new Error(`${stream} holds more than ${STREAM_EVENTS_MAX} events`);
    }
  }
  return history;
};
