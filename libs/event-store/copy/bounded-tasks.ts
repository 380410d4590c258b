import type { Scheduler } from '@app/kernel';
import { backOffMs } from '../core/back-off';
import { OutcomeUnknown, StoreDamaged, StoreUnavailable } from '../core/port';

/**
 * Runs a limited number of tasks concurrently. Tasks that share a lane run in the order in which they were added. After a failure no
 * further task starts.
 */
export class BoundedTasks {
  readonly #tasksMax: number;
  readonly #lanes = new Map<string, Promise<void>>();
  #underWay = 0;
  #failure: { readonly error: unknown } | undefined;
  #onEnded: (() => void) | undefined;

  constructor(tasksMax: number) {
    this.#tasksMax = tasksMax;
  }

  /** Resolves once there is room for the task. @throws the first error of a task */
  async add(lanes: readonly string[], task: () => Promise<void>): Promise<void> {
    while (this.#underWay >= this.#tasksMax) await this.#oneEnded();
    this.#assertNotFailed();
    this.#underWay += 1;
    const before = lanes.flatMap((lane) => this.#lanes.get(lane) ?? []);
    const done = this.#run(before, task).finally(() => {
      this.#underWay -= 1;
      for (const lane of lanes) if (this.#lanes.get(lane) === done) this.#lanes.delete(lane);
      this.#onEnded?.();
    });
    for (const lane of lanes) this.#lanes.set(lane, done);
  }

  async idle(): Promise<void> {
    while (this.#underWay > 0) await this.#oneEnded();
  }

  async drained(): Promise<void> {
    await this.idle();
    this.#assertNotFailed();
  }

  async #run(before: readonly Promise<void>[], task: () => Promise<void>): Promise<void> {
    try {
      if (before.length > 0) await Promise.all(before);
      if (this.#failure === undefined) await task();
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #oneEnded(): Promise<void> {
    return new Promise((resolve) => (this.#onEnded = resolve));
  }

  #assertNotFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Consecutive attempts; each has already cost the store's own deadline. */
const TRIES_MAX = 8;
const BACK_OFF_MIN_MS = 250;
const BACK_OFF_MAX_MS = 5_000;

/** Retries failed calls within a limit, because a copy takes hours and a store may be unavailable for a minute. */
export class RetryPolicy {
  readonly #scheduler: Scheduler;
  readonly #isStopRequested: () => boolean;

  constructor(scheduler: Scheduler, isStopRequested: () => boolean) {
    this.#scheduler = scheduler;
    this.#isStopRequested = isStopRequested;
  }

  /** @throws the failure itself if a retry is useless, all attempts failed, or a stop was requested */
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
