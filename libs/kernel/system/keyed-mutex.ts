/** Runs the work under one key in the order of arrival, one at a time; different keys do not wait for each other. It holds within this process alone. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** The number of keys whose work is running or waiting. */
  get size(): number {
    return this.#last.size;
  }

  take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const done: Promise<void> = result.then(
      () => this.release(key, done),
      () => this.release(key, done),
    );
    this.#last.set(key, done);
    return result;
  }

  private release(key: string, done: Promise<void>): void {
    if (this.#last.get(key) === done) this.#last.delete(key);
  }
}
