import { hash } from 'node:crypto';
import { lengthPrefixed } from './names-and-ids';
import type { NewEvent, StoredEvent, EventStore, Revision, StreamName } from './port';
import { isOfItsStream, previousHashOf, type Last } from './envelope';

/**
 * The event's hash in its stream's chain: SHA-256, hex, over id, type, data and metadata as stored, each prefixed by its length in bytes.
 * Position and store time are excluded, so that a copied log keeps its chain (architecture, rule 7).
 */
export const hashOf = (event: NewEvent): string =>
  hash(
    'sha256',
    lengthPrefixed(event.id) + lengthPrefixed(event.type) + lengthPrefixed(event.data) + lengthPrefixed(event.metadata),
    'hex',
  );

/** A stored event was edited or damaged (safety, F27 and T44). Base no decision on it. */
export class BrokenChain extends Error {
  override readonly name = 'BrokenChain';
  readonly event: StoredEvent;
  readonly fault: string;
  /** If two events do not fit together, either may have been changed, so do not trust the previous event. */
  readonly isOfTwo: boolean;

  constructor(event: StoredEvent, fault: string, isOfTwo = false) {
    super(`${event.stream} revision ${event.revision} (position ${event.position}): ${fault}`);
    this.event = event;
    this.fault = fault;
    this.isOfTwo = isOfTwo;
  }
}

export const lastOf = (event: StoredEvent): Exclude<Last, 'no_stream'> => ({ revision: event.revision, hash: hashOf(event) });

export const assertChained = (event: StoredEvent, last: Last): void => {
  const [expectedRevision, expectedHash] = last === 'no_stream' ? [0n, null] : [last.revision + 1n, last.hash];
  if (event.revision !== expectedRevision) throw new BrokenChain(event, `revision ${expectedRevision} is missing`);
  if (!isOfItsStream(event)) throw new BrokenChain(event, 'it was written to another stream');
  if (previousHashOf(event) !== expectedHash) throw new BrokenChain(event, 'it does not follow from the event before it', true);
};

export const assertFollows = (event: StoredEvent, before: StoredEvent | undefined): void =>
  assertChained(event, before === undefined ? 'no_stream' : lastOf(before));

/**
 * Checks each link of a stream's chain before yielding the event. A read from a later revision trusts its first event.
 * @throws BrokenChain with stream and revision, after the valid events before it; StoreUnavailable
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

/** The newest event of this many streams is cached. For other streams it is read again. */
const STREAMS_MAX = 8_192;
const CHARACTERS_MAX = 16_384;

/** Checks that each event of a subscription follows the previous event of its stream. An event is hashed only when the next one arrives. */
export class ChainChecker {
  readonly #log: Pick<EventStore, 'read'>;
  readonly #newest = new Map<StreamName, StoredEvent>();

  constructor(log: Pick<EventStore, 'read'>) {
    this.#log = log;
  }

  async faultsIn(batch: readonly StoredEvent[]): Promise<ReadonlyMap<StoredEvent, BrokenChain>> {
    const faults = new Map<StoredEvent, BrokenChain>();
    const broken = new Set<StreamName>();
    for (const event of batch) {
      if (broken.has(event.stream)) continue;
      try {
        const known = this.#newest.get(event.stream);
        // The subscription redelivers an event if its processing was lost.
        if (known !== undefined && known.revision >= event.revision) continue;
        const isNext = event.revision === 0n || known?.revision === event.revision - 1n;
        assertFollows(event, isNext ? known : await this.#before(event));
        this.#keep(event);
      } catch (error) {
        if (!(error instanceof BrokenChain)) throw error;
        broken.add(event.stream);
        this.#newest.delete(event.stream);
        faults.set(event, error);
      }
    }
    return faults;
  }

  async #before({ stream, revision }: StoredEvent): Promise<StoredEvent | undefined> {
    const wanted = (revision - 1n) as Revision;
    for await (const event of this.#log.read(stream, wanted)) return event.revision === wanted ? event : undefined;
    return undefined;
  }

  #keep(event: StoredEvent): void {
    const { stream, data } = event;
    this.#newest.delete(stream);
    if (data.length > CHARACTERS_MAX) return;
    this.#newest.set(stream, event);
    if (this.#newest.size <= STREAMS_MAX) return;
    const [eldest] = this.#newest.keys();
    if (eldest !== undefined) this.#newest.delete(eldest);
  }
}
