import { hash } from 'node:crypto';
import { isOfItsStream, previousHashOf, type Last } from '../core/envelope';
import type { NewEvent, StoredEvent } from '../core/port';

const lengthPrefixed = (text: string): string => `${Buffer.byteLength(text)}:${text}`;

/**
 * The event's link in its stream's chain: SHA-256, hex, over id, type, data and metadata as stored, each after its length in bytes; never over
 * position or the store's time, so that a copied log keeps its chain (architecture, rule 7).
 */
export const hashOf = (event: NewEvent): string =>
  hash(
    'sha256',
    lengthPrefixed(event.id) + lengthPrefixed(event.type) + lengthPrefixed(event.data) + lengthPrefixed(event.metadata),
    'hex',
  );

/** What is stored is not what was written: edited, or damaged on the disk (safety, F27 and T44). Nothing may be decided from it. */
export class BrokenChain extends Error {
  override readonly name = 'BrokenChain';
  /** As read, and not to be trusted. */
  readonly event: StoredEvent;
  /** What is wrong with it, without its name. */
  readonly fault: string;
  /** Of two events that do not fit together nobody can tell which was changed: the one before this is not to be trusted either. */
  readonly isOfTwo: boolean;

  constructor(event: StoredEvent, fault: string, isOfTwo = false) {
    super(`${event.stream} revision ${event.revision} (position ${event.position}): ${fault}`);
    this.event = event;
    this.fault = fault;
    this.isOfTwo = isOfTwo;
  }
}

/** Where its stream stands after this event. */
export const lastOf = (event: StoredEvent): Exclude<Last, 'no_stream'> => ({ revision: event.revision, hash: hashOf(event) });

/** One link of a stream's chain. @throws BrokenChain naming stream and revision */
export const assertChained = (event: StoredEvent, last: Last): void => {
  const [expectedRevision, expectedHash] = last === 'no_stream' ? [0n, null] : [last.revision + 1n, last.hash];
  if (event.revision !== expectedRevision) throw new BrokenChain(event, `revision ${expectedRevision} is missing`);
  if (!isOfItsStream(event)) throw new BrokenChain(event, 'it was written to another stream');
  if (previousHashOf(event) !== expectedHash) throw new BrokenChain(event, 'it does not follow from the event before it', true);
};

/** As `assertChained`; what comes before is hashed only where something follows it. */
export const assertFollows = (event: StoredEvent, before: StoredEvent | undefined): void =>
  assertChained(event, before === undefined ? 'no_stream' : lastOf(before));
