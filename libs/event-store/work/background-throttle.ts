import type { Clock, Instant, Scheduled, Scheduler, Monotonic } from '@app/kernel';

/** One timer for many requests. It fires at the earliest time and forgets the later ones, which callers must request again. */
export class EarliestTimer {
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #onDue: () => void;
  #timer: Scheduled | undefined;
  #at: Instant | undefined;

  constructor({ clock, scheduler, onDue }: { readonly clock: Clock; readonly scheduler: Scheduler; readonly onDue: () => void }) {
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#onDue = onDue;
  }

  /** A time in the past fires as soon as possible, but never within this call. */
  at(at: Instant): void {
    if (this.#at !== undefined && this.#at <= at) return;
    this.#timer?.cancel();
    this.#at = at;
    this.#timer = this.#scheduler.after(Math.max(at - this.#clock.now(), 1), () => {
      this.#timer = undefined;
      this.#at = undefined;
      this.#onDue();
    });
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#at = undefined;
  }
}

/** The process counts as busy for this long after the last request. */
const BUSY_MS = 50;
/** The target while it is busy. A request takes three or four turns of the event loop, so background work delays it by some 20 ms at most. */
const TURN_MS = 5;
/** Started per turn even if turns are longer, so that work goes on under any load. */
const IN_EACH_MIN = 2;
const IN_EACH_MAX = 64;

/**
 * Throttles background work while requests arrive: dozens of items started together would delay the requests. A turn of the event loop
 * that exceeds the target halves the items started in the next one, any other adds one. The age of the work does not count: after an outage
 * all work is late, and that is when merchants return. Without requests, all items start at once and share commits.
 */
export class BackgroundThrottle {
  readonly #monotonic: Monotonic;
  readonly #waiting: (() => void)[] = [];
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
   * Starts work in the order given, now or in a later turn.
   * @param begin must not throw
   */
  begin(begin: () => void): void {
    if (this.#waiting.length === 0 && !this.#isBusy) return begin();
    this.#waiting.push(begin);
    if (!this.#isScheduled) this.#nextTurn();
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
      for (const begin of this.#waiting.splice(0, this.#isBusy ? this.#inEach : Infinity)) begin();
      if (this.#waiting.length > 0 && !this.#isScheduled) this.#nextTurn(nowMs);
    });
  }
}
