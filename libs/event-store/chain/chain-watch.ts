import { assertFollows, BrokenChain } from './chain';
import type { EventStore, Revision, StoredEvent, StreamName } from '../core/port';

/** Streams whose newest event stays in memory; that of any other is read again when its stream goes on. */
const STREAMS_MAX = 8_192;
/** A long event is not kept, but read again. */
const CHARACTERS_MAX = 16_384;

/**
 * Whether what a subscription hands over follows, event by event, from what its streams held before. An event is hashed when its stream goes on: the newest
 * of a stream costs nothing.
 */
export class ChainWatch {
  readonly #log: Pick<EventStore, 'read'>;
  readonly #newest = new Map<StreamName, StoredEvent>();

  constructor(log: Pick<EventStore, 'read'>) {
    this.#log = log;
  }

  /** What is wrong with the events of a batch, by event: of each stream its first that does not follow. @throws StoreUnavailable */
  async faultsIn(batch: readonly StoredEvent[]): Promise<ReadonlyMap<StoredEvent, BrokenChain>> {
    const faults = new Map<StoredEvent, BrokenChain>();
    const broken = new Set<StreamName>();
    for (const event of batch) {
      if (broken.has(event.stream)) continue;
      try {
        const known = this.#newest.get(event.stream);
        // Handed over again, after what was done with it was lost.
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
