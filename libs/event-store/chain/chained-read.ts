import { assertFollows, BrokenChain } from './chain';
import { isOfItsStream } from '../core/envelope';
import type { EventStore, Revision, StoredEvent, StreamName } from '../core/port';

/**
 * A stream, each link of its chain checked before its event is handed on: for whoever folds it by himself. From a revision on, the first event is taken as
 * it stands and what follows must follow from it; a stream that does not reach so far is empty.
 * @throws BrokenChain naming stream and revision, after what stood before it; StoreUnavailable
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
