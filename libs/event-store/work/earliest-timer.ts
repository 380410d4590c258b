import type { Clock, Instant, Scheduled, Scheduler } from '@app/kernel';

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
