/** Work under one key is done one after the other, in the order in which it came; under different keys, side by side. Of this process alone. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** Keys under which something is done or waits. */
  get size(): number {
    return this.#last.size;
  }

  take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const done: Promise<void> = result.then(
      () => this.leave(key, done),
      () => this.leave(key, done),
    );
    this.#last.set(key, done);
    return result;
  }

  private leave(key: string, done: Promise<void>): void {
    if (this.#last.get(key) === done) this.#last.delete(key);
  }
}
