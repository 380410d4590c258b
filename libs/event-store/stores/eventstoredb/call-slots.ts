import type { TimeLimit } from './time-limit';

/** A server allows 100 HTTP/2 streams per connection and makes further calls wait without an error, so calls are counted here. */
export const CALLS_MAX = 80;
const WAITING_MAX = 10_000;

/** Limits concurrent appends and reads so that subscriptions find room; further calls wait in order. */
export class CallSlots {
  #free = CALLS_MAX;
  readonly #waiting = new Set<() => void>();

  /** True once the caller has a slot, which it must release with `give`; false when its time is over or too many callers wait. */
  take(limit: TimeLimit): Promise<boolean> | true {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    if (this.#waiting.size >= WAITING_MAX || limit.isOver) return Promise.resolve(false);
    return new Promise((resolve) => {
      const enter = (): void => {
        limit.whenOver(undefined);
        resolve(true);
      };
      this.#waiting.add(enter);
      limit.whenOver(() => {
        this.#waiting.delete(enter);
        resolve(false);
      });
    });
  }

  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
