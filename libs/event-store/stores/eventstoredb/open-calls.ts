import { StoreUnavailable } from '../../core/port';

/** Tracks the calls on the connection, so that closing the store ends each with an error. */
export class OpenCalls {
  readonly #ends = new Set<(closed: StoreUnavailable) => void>();
  #isClosed = false;

  /** Returns a function that removes the call. @throws StoreUnavailable once the store is closed */
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
