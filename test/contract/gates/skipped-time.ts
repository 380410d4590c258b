import type { Instant, Monotonic, Scheduled, Scheduler } from '@app/kernel';

export class SkippedTime implements Monotonic, Scheduler {
  #nowMs = 0;

  now(): Instant {
    return (1_704_067_200_000 + this.#nowMs) as Instant;
  }

  elapsedMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Scheduled {
    const immediate = setImmediate(() => {
      this.#nowMs += delayMs;
      run();
    });
    return { cancel: () => clearImmediate(immediate) };
  }
}
