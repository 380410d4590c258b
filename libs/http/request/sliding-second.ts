/**
 * One more than 1,000, because times are rounded down to milliseconds and two of them 1,000 apart may lie within one second. So no second, wherever it
 * begins, holds more than the limit.
 */
export const SECOND_MS = 1_001;

/**
 * The slots taken in the last second, counted by millisecond, so that its size does not depend on the limit. A time before the newest one counts as the
 * newest, so that no slot is freed early.
 */
export class SlidingSecond {
  readonly #limit: number;
  readonly #times: number[] = [];
  readonly #counts: number[] = [];
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @returns undefined where a slot was taken, else the milliseconds until one is free */
  take(nowMs: number): number | undefined {
    const at = Math.max(nowMs, this.#times.at(-1) ?? nowMs);
    this.#free(at);
    if (this.#taken >= this.#limit) return (this.#times[0] ?? at) + SECOND_MS - at;
    if (this.#times.at(-1) === at) this.#counts[this.#counts.length - 1] = (this.#counts.at(-1) ?? 0) + 1;
    else {
      this.#times.push(at);
      this.#counts.push(1);
    }
    this.#taken += 1;
    return undefined;
  }

  #free(at: number): void {
    let expired = 0;
    while (expired < this.#times.length && (this.#times[expired] ?? at) + SECOND_MS <= at) {
      this.#taken -= this.#counts[expired] ?? 0;
      expired += 1;
    }
    if (expired === 0) return;
    this.#times.splice(0, expired);
    this.#counts.splice(0, expired);
  }
}
