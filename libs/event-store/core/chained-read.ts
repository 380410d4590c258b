import { assertFollows, BrokenChain } from './chain';
import { isOfItsStream } from './envelope';
import type { EventStore, Revision, StoredEvent, StreamName } from './port';

/**
 * Reads a stream and checks each link of its chain before yielding the event, for callers that fold the events themselves. A read from a later revision
 * trusts its first event and checks what follows; a stream that is shorter yields nothing.
 * @throws BrokenChain naming stream and revision, after the valid events before it; StoreUnavailable
 */
export async function* readChained(
  log: Pick<EventStore, 'read'>,
  stream: StreamName,
  from: Revision = 0n as Revision,
): AsyncGenerator<StoredEvent, undefined> {
  let before: StoredEvent | undefined;
  for await (const event of log.read(stream, from)) {
    if (before !== undefined || from === 0n) assertFollows(event, before);
    else if (event.revision !== from) throw new BrokenChain(event, `revision ${from} before it is missing`);
    else if (!isOfItsStream(event)) throw new BrokenChain(event, 'it was written to another stream');
    yield event;
    before = event;
  }
  return undefined;
}
