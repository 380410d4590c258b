import type { Scheduled, Scheduler } from '@app/kernel';

/** The time that one operation may take with all its attempts; monotonic, for it counts from when it was made. */
export class TimeLimit {
  readonly #scheduler: Scheduler;
  readonly #timer: Scheduled;
  readonly #endsAtMs: number;
  #isOver = false;
  #onOver: (() => void) | undefined;

  constructor(scheduler: Scheduler, limitMs: number) {
    this.#scheduler = scheduler;
    this.#endsAtMs = performance.now() + limitMs;
    this.#timer = scheduler.after(limitMs, () => this.end());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** For what has a clock of its own; at least zero. */
  get remainingMs(): number {
    return this.#isOver ? 0 : Math.max(0, this.#endsAtMs - performance.now());
  }

  /** Called when the time is over, until the next `whenOver` or `clear`, or at once where it is over; one at a time. */
  whenOver(run: (() => void) | undefined): void {
    if (this.#isOver) run?.();
    else this.#onOver = run;
  }

  /** Resolves after the delay, or at once when the time is over. */
  pause(delayMs: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#scheduler.after(delayMs, () => {
        this.#onOver = undefined;
        resolve();
      });
      this.#onOver = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  clear(): void {
    this.#onOver = undefined;
    this.#timer.cancel();
  }

  /** Now, whatever time is left. Twice is once. */
  end(): void {
    this.#timer.cancel();
    this.#isOver = true;
    const run = this.#onOver;
    this.#onOver = undefined;
    run?.();
  }
}
