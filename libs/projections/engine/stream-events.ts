import { ChainWatch, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import { readBatch, type BatchEvent, type Decode } from './log-event';

/** More than any stream holds; a longer one is a fault that wants a person. */
const STREAM_EVENTS_MAX = 100_000;

/** One stream as the log has it, up to a revision, its chain checked. @throws Error where it is longer than any is */
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
  return readBatch(stored, categories, decode, await new ChainWatch(log).faultsIn(stored));
};
