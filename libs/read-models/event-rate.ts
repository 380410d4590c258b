import type { Clock } from '@app/kernel';

const SECOND_MS = 1_000;
const SECONDS = 60;

/** Counts events by second. The rate is of the last minute. */
export class EventRate {
  readonly #clock: Clock;
  readonly #counts = new Map<number, number>();
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(count: number): void {
    const second = this.#second;
    this.#since ??= second;
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + count);
    for (const one of this.#counts.keys()) if (one <= second - SECONDS) this.#counts.delete(one);
  }

  /** Undefined before the first call of `add`. */
  get perSecond(): number | undefined {
    if (this.#since === undefined) return undefined;
    const second = this.#second;
    let sum = 0;
    for (const [one, count] of this.#counts) if (one > second - SECONDS && one <= second) sum += count;
    return sum / Math.min(SECONDS, Math.max(1, second - this.#since + 1));
  }

  get #second(): number {
    return Math.floor(this.#clock.now() / SECOND_MS);
  }
}
