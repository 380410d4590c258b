import type { Scheduler } from '@app/kernel';
import { backOffMs } from '../runners/back-off';
import { OutcomeUnknown, StoreDamaged, StoreUnavailable } from '../core/port';

/** In a row; each has cost the store's own deadline already. */
const TRIES_MAX = 8;
const BACK_OFF_MIN_MS = 250;
const BACK_OFF_MAX_MS = 5_000;

/** A copy takes hours and its stores are away for a minute: what failed is done again, within a limit, unless somebody wants to stop. */
export class MonotonicWait {
  readonly #scheduler: Scheduler;
  readonly #isStopWished: () => boolean;

  constructor(scheduler: Scheduler, isStopWished: () => boolean) {
    this.#scheduler = scheduler;
    this.#isStopWished = isStopWished;
  }

  /** Waits before the next try. @throws what failed, where it is no failure of the world, was tried often enough, or somebody wants to stop */
  async after(failure: unknown, failuresInARow: number): Promise<void> {
    const isAway = failure instanceof StoreUnavailable && !(failure instanceof StoreDamaged);
    const isWorthRetrying = isAway || failure instanceof OutcomeUnknown;
    if (!isWorthRetrying || failuresInARow >= TRIES_MAX || this.#isStopWished()) throw failure;
    await new Promise<void>((resolve) => {
      this.#scheduler.after(backOffMs(failuresInARow, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS), resolve);
    });
  }

  /** What may be done twice, until it is done. */
  async until<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let failures = 1; ; failures++) {
      try {
        return await work();
      } catch (error) {
        await this.after(error, failures);
      }
    }
  }
}
