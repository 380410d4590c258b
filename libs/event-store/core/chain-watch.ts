import { assertFollows, BrokenChain } from './chain';
import type { EventStore, Revision, StoredEvent, StreamName } from './port';

/** The newest event of so many streams stays in memory; for any other stream it is read again when a further event comes. */
const STREAMS_MAX = 8_192;
/** A longer event is read again instead of being kept, so that memory stays bounded. */
const CHARACTERS_MAX = 16_384;

/**
 * Checks that each event which a subscription delivers follows from the event before it in its stream. An event is hashed only when its stream goes on, so
 * that the newest event of a stream costs nothing.
 */
export class ChainWatch {
  readonly #log: Pick<EventStore, 'read'>;
  readonly #newest = new Map<StreamName, StoredEvent>();

  constructor(log: Pick<EventStore, 'read'>) {
    this.#log = log;
  }

  /** Returns, for each stream of the batch, the first event that does not follow, with its fault. @throws StoreUnavailable */
  async faultsIn(batch: readonly StoredEvent[]): Promise<ReadonlyMap<StoredEvent, BrokenChain>> {
    const faults = new Map<StoredEvent, BrokenChain>();
    const broken = new Set<StreamName>();
    for (const event of batch) {
      if (broken.has(event.stream)) continue;
      try {
        const known = this.#newest.get(event.stream);
        // The subscription delivers an event again where the work on it was lost.
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
