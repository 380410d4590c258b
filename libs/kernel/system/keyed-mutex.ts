/** Runs work under one key one at a time, in order of arrival. Valid within this process only. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

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
