import { BoundedMap, type Clock, type Instant, type Monotonic } from '@app/kernel';

const AWAITED_MAX = 10_000;

/**
 * Decides whether a wait is over where the wall clock cannot, because it was set back behind the moment at which the wait began: this process then
 * counts from when it first saw that.
 */
export class MonotonicWait {
  readonly #since = new BoundedMap<string, number>(AWAITED_MAX);

  constructor(
    private readonly clock: Clock,
    private readonly monotonic: Monotonic,
  ) {}

  /** @param beganAt by the wall clock of that time */
  isOver(key: string, beganAt: Instant, waitMs: number): boolean {
    if (this.clock.now() >= beganAt) {
      this.#since.delete(key);
      return false;
    }
    const nowMs = this.monotonic.elapsedMs();
    const sinceMs = this.#since.get(key);
    if (sinceMs === undefined) {
      this.#since.set(key, nowMs);
      return false;
    }
    if (nowMs - sinceMs < waitMs) return false;
    this.#since.delete(key);
    return true;
  }
}
