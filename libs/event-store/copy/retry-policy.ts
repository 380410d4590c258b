import type { Scheduler } from '@app/kernel';
import { backOffMs } from '../core/back-off';
import { OutcomeUnknown, StoreDamaged, StoreUnavailable } from '../core/port';

/** Consecutive tries; each has already cost the store's own deadline. */
const TRIES_MAX = 8;
const BACK_OFF_MIN_MS = 250;
const BACK_OFF_MAX_MS = 5_000;

/** Retries failed calls within a limit, because a copy takes hours and a store may be unavailable for a minute of them. */
export class RetryPolicy {
  readonly #scheduler: Scheduler;
  readonly #isStopRequested: () => boolean;

  constructor(scheduler: Scheduler, isStopRequested: () => boolean) {
    this.#scheduler = scheduler;
    this.#isStopRequested = isStopRequested;
  }

  /** Waits before the next try. @throws the failure itself where a retry is useless, all tries are used, or a stop was requested */
  async waitAfter(failure: unknown, failuresInARow: number): Promise<void> {
    const isAway = failure instanceof StoreUnavailable && !(failure instanceof StoreDamaged);
    const isWorthRetrying = isAway || failure instanceof OutcomeUnknown;
    if (!isWorthRetrying || failuresInARow >= TRIES_MAX || this.#isStopRequested()) throw failure;
    await new Promise<void>((resolve) => {
      this.#scheduler.after(backOffMs(failuresInARow, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS), resolve);
    });
  }

  /** Repeats work, which must be idempotent, until it succeeds. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let failures = 1; ; failures++) {
      try {
        return await work();
      } catch (error) {
        await this.waitAfter(error, failures);
      }
    }
  }
}
