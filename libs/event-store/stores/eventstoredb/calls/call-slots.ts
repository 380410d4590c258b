import type { TimeLimit } from './time-limit';

/** HTTP/2 streams that a server gives one connection are 100; what exceeds them waits without an error, so that we count ourselves. */
export const CALLS_MAX = 80;
const WAITING_MAX = 10_000;

/** Calls that come to an end (appends, reads), as many at once as leave room for subscriptions; the rest waits in order. */
export class CallSlots {
  #free = CALLS_MAX;
  readonly #waiting = new Set<() => void>();

  /** True when the caller has a slot, which it gives back; false when its time is over, or too many wait. */
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
