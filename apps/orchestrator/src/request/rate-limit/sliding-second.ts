/**
 * Times are whole milliseconds of one clock, cut off: two that differ by less than this may lie within one second. So a place is free again
 * after 1,001, and no second at all, wherever it begins, holds more than the limit.
 */
export const SECOND_MS = 1_001;

/**
 * The places of the last second, by the millisecond in which they were taken: at most as many entries as a second has milliseconds, however
 * high the limit is. A time before the newest one counts as that: no place is freed early.
 */
export class SlidingSecond {
  readonly #limit: number;
  readonly #times: number[] = [];
  readonly #counts: number[] = [];
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Undefined where a place was taken, else how long until one is free. */
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
