/** EventStoreDB's limit for remembered ids. */
const BYTES_MAX = 8 * 1024 * 1024;
const ENTRY_BYTES = 28;
const BYTES_PER_CHARACTER = 2;

interface Place {
  readonly stream: string;
  readonly revision: bigint;
}

const entryBytes = ({ stream }: Place): number => ENTRY_BYTES + BYTES_PER_CHARACTER * stream.length;

/** Recognises retries without an exact revision. Bounded, and lost when the server ends. */
export class RecentIds {
  readonly #places = new Map<string, Place>();
  #bytes = 0;

  find(id: string, stream: string): bigint | undefined {
    const place = this.#places.get(id);
    return place?.stream === stream ? place.revision : undefined;
  }

  remember(id: string, stream: string, revision: bigint): void {
    if (this.#places.has(id)) return;
    const place: Place = { stream, revision };
    this.#places.set(id, place);
    this.#bytes += entryBytes(place);
    for (const [oldest, oldestPlace] of this.#places) {
      if (this.#bytes <= BYTES_MAX) break;
      this.#places.delete(oldest);
      this.#bytes -= entryBytes(oldestPlace);
    }
  }
}
