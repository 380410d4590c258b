import { ChainChecker, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import { readBatch, type BatchEvent, type Decode } from './log-event';

/** No stream should be longer; a longer one needs an operator. */
const STREAM_EVENTS_MAX = 100_000;

/**
 * Reads a stream up to a revision (exclusive) and checks its chain.
 * @throws Error if it is too long
 */
export const streamEvents = async (
  { log, decode }: { readonly log: Pick<EventStore, 'read'>; readonly decode: Decode },
  categories: ReadonlySet<string>,
  stream: StreamName,
  before?: bigint,
): Promise<readonly BatchEvent[]> => {
  const stored: StoredEvent[] = [];
  for await (const event of log.read(stream)) {
    if (before !== undefined && event.revision >= before) break;
    if (stored.push(event) > STREAM_EVENTS_MAX) throw new Error(`${stream} holds more than ${STREAM_EVENTS_MAX} events`);
  }
  return readBatch(stored, categories, decode, await new ChainChecker(log).faultsIn(stored));
};
