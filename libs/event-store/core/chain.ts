import { isOfItsStream, previousHashOf, type Last } from './envelope';
import { hashOf } from './event-hash';
import type { StoredEvent } from './port';

/** An event was edited or damaged on the disk after it was written (safety, F27 and T44). No decision may be based on it. */
export class BrokenChain extends Error {
  override readonly name = 'BrokenChain';
  /** The event as it was read; it must not be trusted. */
  readonly event: StoredEvent;
  /** Says what is wrong, without naming the event. */
  readonly fault: string;
  /** Where two events do not fit together it is unknown which one was changed, so the event before this one must not be trusted either. */
  readonly isOfTwo: boolean;

  constructor(event: StoredEvent, fault: string, isOfTwo = false) {
    super(`${event.stream} revision ${event.revision} (position ${event.position}): ${fault}`);
    this.event = event;
    this.fault = fault;
    this.isOfTwo = isOfTwo;
  }
}

/** The end of the stream, once it holds this event. */
export const lastOf = (event: StoredEvent): Exclude<Last, 'no_stream'> => ({ revision: event.revision, hash: hashOf(event) });

/** Checks one link of a stream's chain. @throws BrokenChain naming stream and revision */
export const assertChained = (event: StoredEvent, last: Last): void => {
  const [expectedRevision, expectedHash] = last === 'no_stream' ? [0n, null] : [last.revision + 1n, last.hash];
  if (event.revision !== expectedRevision) throw new BrokenChain(event, `revision ${expectedRevision} is missing`);
  if (!isOfItsStream(event)) throw new BrokenChain(event, 'it was written to another stream');
  if (previousHashOf(event) !== expectedHash) throw new BrokenChain(event, 'it does not follow from the event before it', true);
};

/** As `assertChained`, but hashes the event before only when it is needed. */
export const assertFollows = (event: StoredEvent, before: StoredEvent | undefined): void =>
  assertChained(event, before === undefined ? 'no_stream' : lastOf(before));
