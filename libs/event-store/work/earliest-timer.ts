import type { Clock, Instant, Scheduled, Scheduler } from '@app/kernel';

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
