/** Maximum of items with a failure count; beyond it the oldest count is dropped, never the item. */
const FAILURES_MAX = 10_000;

/** How often each item failed since it last succeeded. */
export class FailureCounts {
  readonly #failures = new Map<string, number>();

  /** Counts one more failure and returns the count. */
  add(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.delete(key);
    this.#failures.set(key, failures);
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= FAILURES_MAX) break;
      this.#failures.delete(oldest);
    }
    return failures;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}
