import type { Scheduler } from './ports';

/**
 * Waits for work no longer than a limit. The work itself goes on; what it comes to after the limit is dropped.
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
 * The deadline of a request, passed to every operation on its behalf. Once it has passed, an operation stops with its port's error for an unavailable
 * store and frees its resources. Waiting for it needs no timer.
 */
export interface Deadline {
  readonly isOver: boolean;
  /** Calls `run` once when the deadline passes, or at once where it has. @returns a function that removes `run` */
  whenOver(run: () => void): () => void;
}

const nothing = (): void => undefined;

/** A deadline that its owner ends. */
export class EndableDeadline implements Deadline {
  #isOver = false;
  /** Created by the first waiter, since most requests are answered without one. */
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

  /** May be called twice. */
  end(): void {
    this.#isOver = true;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) for (const { run } of waiting) run();
  }
}

/**
 * What comes of the work, or the error once the deadline is over: what comes of it later is lost, so whoever calls sees to it that it holds nothing.
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
