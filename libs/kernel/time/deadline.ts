/**
 * When somebody who waits is answered, handed down to every operation that is done for him: once it is over an operation stops, with the error that its
 * port has for a store that is away, and holds nothing more. To hear of it costs no timer.
 */
export interface Deadline {
  readonly isOver: boolean;
  /** Calls `run` once when the time is over, or at once where it is. @returns what takes `run` back, for whoever is done before */
  whenOver(run: () => void): () => void;
}

const nothing = (): void => undefined;

/** A deadline that is over when its owner says so. */
export class EndableDeadline implements Deadline {
  #isOver = false;
  /** Made by the first who waits: most requests are answered before anybody does. */
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

  /** Twice is once. */
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
