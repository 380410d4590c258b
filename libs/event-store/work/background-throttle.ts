import type { Monotonic } from '@app/kernel';

/** The process counts as busy for this long after the last request. */
const BUSY_MS = 50;
/** The target while it is busy. A request takes three or four turns of the event loop, so background work delays it by some 20 ms at most. */
const TURN_MS = 5;
/** Started per turn even if turns are longer, so that work continues under any load. */
const IN_EACH_MIN = 2;
const IN_EACH_MAX = 64;

/**
 * Throttles background work while requests arrive: dozens of items started together would delay the requests. A turn of the event loop
 * that exceeds the target halves the items started in the next one, any other adds one. The age of the work does not count: after an outage
 * all work is late, and that is when merchants return. Without requests, all items start at once and share commits.
 */
export class BackgroundThrottle {
  readonly #monotonic: Monotonic;
  readonly #waiting = new Set<() => boolean>();
  #cameAtMs = -Infinity;
  #isScheduled = false;
  #inEach = IN_EACH_MIN;

  constructor({ monotonic }: { readonly monotonic: Monotonic }) {
    this.#monotonic = monotonic;
  }

  requestCame(): void {
    this.#cameAtMs = this.#monotonic.elapsedMs();
  }

  /**
   * Lets work start, now or in later turns, in turn with the work of other callers.
   * @param startNext starts one item, returns whether there was one, and must not throw
   */
  start(startNext: () => boolean): void {
    this.#waiting.add(startNext);
    if (this.#isScheduled) return;
    if (this.#isBusy) this.#nextTurn();
    else this.#startUpTo(Infinity);
  }

  get #isBusy(): boolean {
    return this.#monotonic.elapsedMs() - this.#cameAtMs < BUSY_MS;
  }

  #nextTurn(beganMs = this.#monotonic.elapsedMs()): void {
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const nowMs = this.#monotonic.elapsedMs();
      this.#inEach = nowMs - beganMs > TURN_MS ? Math.max(IN_EACH_MIN, this.#inEach >> 1) : Math.min(this.#inEach + 1, IN_EACH_MAX);
      this.#startUpTo(this.#isBusy ? this.#inEach : Infinity);
      if (this.#waiting.size > 0 && !this.#isScheduled) this.#nextTurn(nowMs);
    });
  }

  #startUpTo(count: number): void {
    for (let left = count; left > 0; left--) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      if (next()) this.#waiting.add(next);
    }
  }
}
