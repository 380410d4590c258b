import { StoreUnavailable } from '../../../core/port';

/** What is under way on the connection, so that closing the store ends it with a word. */
export class OpenCalls {
  readonly #ends = new Set<(closed: StoreUnavailable) => void>();
  #isClosed = false;

  /** Returns what takes it out again. @throws StoreUnavailable once it is closed */
  add(end: (closed: StoreUnavailable) => void): () => void {
    this.assertOpen();
    this.#ends.add(end);
    return () => void this.#ends.delete(end);
  }

  /** @throws StoreUnavailable */
  assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable('the store is closed');
  }

  close(): void {
    this.#isClosed = true;
    const closed = new StoreUnavailable('the store is closed');
    for (const end of [...this.#ends]) end(closed);
    this.#ends.clear();
  }
}
