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
/** Items started per tick of the event loop while the process is busy and no item is late. */
const IN_EACH = 2;
/** Each such delay of an item doubles the items started per tick. */
const LATE_MS = 5_000;
const IN_EACH_MAX = 64;

interface Waiting {
  readonly dueAt: Instant;
  readonly begin: () => void;
}

/**
 * Throttles background work while requests arrive: dozens of items started together would delay the requests. Late items get a growing
 * share of each tick. Without requests, all items start at once and share commits.
 */
export class BackgroundThrottle {
  readonly #clock: Clock;
  readonly #monotonic: Monotonic;
  readonly #waiting: Waiting[] = [];
  #cameAtMs = -Infinity;
  #isScheduled = false;

  constructor({ clock, monotonic }: { readonly clock: Clock; readonly monotonic: Monotonic }) {
    this.#clock = clock;
    this.#monotonic = monotonic;
  }

  requestCame(): void {
    this.#cameAtMs = this.#monotonic.elapsedMs();
  }

  /**
   * Starts work in the order given, now or in a later tick.
   * @param begin must not throw
   */
  begin(dueAt: Instant, begin: () => void): void {
    if (this.#waiting.length === 0 && !this.#isBusy) return begin();
    this.#waiting.push({ dueAt, begin });
    this.#schedule();
  }

  get #isBusy(): boolean {
    return this.#monotonic.elapsedMs() - this.#cameAtMs < BUSY_MS;
  }

  get #inEach(): number {
    const [oldest] = this.#waiting;
    if (oldest === undefined || !this.#isBusy) return Infinity;
    const lateMs = Math.max(0, this.#clock.now() - oldest.dueAt);
    return Math.min(IN_EACH * 2 ** Math.floor(lateMs / LATE_MS), IN_EACH_MAX);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const { begin } of this.#waiting.splice(0, this.#inEach)) begin();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
