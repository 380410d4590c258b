import type { Scheduled, Scheduler } from '@app/kernel';

/** The time limit of one operation with all its attempts, on the monotonic clock. */
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

  /** Time left, at least zero, for calls with their own deadline. */
  get remainingMs(): number {
    return this.#isOver ? 0 : Math.max(0, this.#endsAtMs - performance.now());
  }

  /** Sets the function to call when the time is over, at once where it already is. It replaces the one set before. */
  whenOver(run: (() => void) | undefined): void {
    if (this.#isOver) run?.();
    else this.#onOver = run;
  }

  /** Resolves after the delay, or when the time is over. */
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

  /** Ends the limit now; may be called twice. */
  end(): void {
    this.#timer.cancel();
    this.#isOver = true;
    const run = this.#onOver;
    this.#onOver = undefined;
    run?.();
  }
}
