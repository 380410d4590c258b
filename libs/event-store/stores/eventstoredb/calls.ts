import type { Scheduled, Scheduler } from '@app/kernel';
import { backOffMs } from '../../core/back-off';
import { StoreUnavailable } from '../../core/port';

const GROWTH_MAX = 4;

/** Doubles from the first attempt, which is as short as a failover, to the time that a busy server needs. */
export const attemptTimeMs = (firstMs: number, lateInARow: number): number => backOffMs(lateInARow + 1, firstMs, GROWTH_MAX * firstMs);

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

  get remainingMs(): number {
    return this.#isOver ? 0 : Math.max(0, this.#endsAtMs - performance.now());
  }

  /** Called at the end, or immediately if the time is over. Replaces the previous callback. */
  whenOver(run: (() => void) | undefined): void {
    if (this.#isOver) run?.();
    else this.#onOver = run;
  }

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

  end(): void {
    this.#timer.cancel();
    this.#isOver = true;
    const run = this.#onOver;
    this.#onOver = undefined;
    run?.();
  }
}

/** A server allows 100 HTTP/2 streams per connection and delays further calls without an error, so calls are counted here. */
export const CALLS_MAX = 80;
const WAITING_MAX = 10_000;

/** Limits concurrent appends and reads, to leave room for subscriptions. Further calls wait in order. */
export class CallSlots {
  #free = CALLS_MAX;
  readonly #waiting = new Set<() => void>();

  /** True if the caller has a slot, which it must release with `give`. False on timeout or if too many callers wait. */
  take(limit: TimeLimit): Promise<boolean> | true {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    if (this.#waiting.size >= WAITING_MAX || limit.isOver) return Promise.resolve(false);
    return new Promise((resolve) => {
      const enter = (): void => {
        limit.whenOver(undefined);
        resolve(true);
      };
      this.#waiting.add(enter);
      limit.whenOver(() => {
        this.#waiting.delete(enter);
        resolve(false);
      });
    });
  }

  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

export class OpenCalls {
  readonly #ends = new Set<(closed: StoreUnavailable) => void>();
  #isClosed = false;

  /**
   * Returns a function that removes the call.
   * @throws StoreUnavailable once the store is closed
   */
  add(end: (closed: StoreUnavailable) => void): () => void {
    this.assertOpen();
    this.#ends.add(end);
    return () => void this.#ends.delete(end);
  }

  assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable('the store is closed');
  }

  close(): void {
    this.#isClosed = true;
    const closed = new StoreUnavailable('the store is closed');
    for (const end of [...this.#ends]) end(closed);
    this.#ends.clear();
  }
}
