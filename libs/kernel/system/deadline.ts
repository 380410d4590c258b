import type { Scheduler } from './ports';

/**
 * Waits for work up to a limit. The work is not cancelled and its late result is dropped.
 * @param onLate makes the result after the limit; it may reject
 */
export const waitAtMost = <Value, Late>(
  scheduler: Scheduler,
  limitMs: number,
  work: Promise<Value>,
  onLate: () => Late | Promise<Late>,
): Promise<Value | Late> =>
  new Promise((resolve, reject) => {
    const timer = scheduler.after(limitMs, () => resolve(onLate()));
    work.then(resolve, reject).finally(() => timer.cancel());
  });

/**
 * The deadline of a request. After it, an operation fails with its port's error for an unavailable store and frees its
 * resources.
 */
export interface Deadline {
  readonly isOver: boolean;
  /**
   * Calls `run` once when the deadline passes, or at once if it has.
   * @returns a function that removes `run`
   */
  whenOver(run: () => void): () => void;
}

const nothing = (): void => undefined;

export class EndableDeadline implements Deadline {
  #isOver = false;
  /** Lazy, since most requests finish without a waiter. */
  #waiting: Set<{ readonly run: () => void }> | undefined;

  get isOver(): boolean {
    return this.#isOver;
  }

  whenOver(run: () => void): () => void {
    if (this.#isOver) {
      run();
      return nothing;
    }
    const waiting = (this.#waiting ??= new Set());
    const entry = { run };
    waiting.add(entry);
    return () => void waiting.delete(entry);
  }

  end(): void {
    this.#isOver = true;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) for (const { run } of waiting) run();
  }
}

/**
 * Rejects once the deadline passes. The later result is lost, so it must not own resources.
 * @throws what `late` makes
 */
export const byDeadline = <Result>(deadline: Deadline | undefined, work: Promise<Result>, late: () => Error): Promise<Result> =>
  deadline === undefined
    ? work
    : new Promise<Result>((resolve, reject) => {
        const forget = deadline.whenOver(() => reject(late()));
        work.then(
          (result) => {
            forget();
            resolve(result);
          },
          (error: Error) => {
            forget();
            reject(error);
          },
        );
      });
