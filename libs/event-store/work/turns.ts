import type { Clock, Instant, Scheduled, Scheduler, Monotonic } from '@app/kernel';

/** One timer for many wishes: it rings at the earliest time asked for, and forgets the later ones, which whoever it wakes must ask for again. */
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

  /** Rings at this time unless it rings earlier anyway; a time that has passed means now, but never within this call. */
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

/** Requests come as long as the last one is no older. */
const BUSY_MS = 50;
/** Items that begin in one turn of the event loop while requests come and no item is late. */
const IN_EACH = 2;
/** With each of these by which an item is late, twice as many begin. */
const LATE_MS = 5_000;
const IN_EACH_MAX = 64;

interface Waiting {
  readonly dueAt: Instant;
  readonly begin: () => void;
}

/**
 * Lets due work give way to requests. An item does much before it first waits, and dozens of them that begin together hold up whoever asks meanwhile; so
 * while requests come, a few begin in each turn of the event loop, and whatever else is ready comes in between. A peak is accepted first and worked off
 * behind. Where it lasts, and items come to be late, they get more of each turn, until they begin as they would without. Where nobody asks all begin at
 * once, which costs least: what they store goes into the same commits.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #monotonic: Monotonic;
  readonly #waiting: Waiting[] = [];
  #cameAtMs = -Infinity;
  #isScheduled = false;

  constructor({ clock, monotonic }: { readonly clock: Clock; readonly monotonic: Monotonic }) {
    this.#clock = clock;
    this.#monotonic = monotonic;
  }

  /** Somebody waits for an answer of this process. */
  requestCame(): void {
    this.#cameAtMs = this.#monotonic.elapsedMs();
  }

  /** Begins work in the order in which it was given, now or in a later turn. @param begin must not throw */
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
