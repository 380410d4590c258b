import type { Secret } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import type { OrderContexts } from './order-context';
import type { SubmitAttempt } from './submit-attempt';

/** Orders whose CVV waits here at one moment; more are not accepted. */
const HELD_MAX = 5_000;
const SUBMITS_AT_ONCE_MAX = 128;

/**
 * Where a CVV lives between acceptance and its one use: in the memory of the process that accepted the order, and nowhere else
 * (architecture, rule 5). What is lost with the process is ended as interrupted by whoever finds it.
 */
export class CvvDesk {
  readonly #waiting: { readonly stream: StreamName; readonly cvv: Secret<string> }[] = [];
  #running = 0;
  #onIdle: (() => void) | undefined;

  constructor(
    private readonly contexts: OrderContexts,
    private readonly submitting: SubmitAttempt,
    /** A submit that failed before its claim is left to the interruption of the order. */
    private readonly onError: (stream: StreamName, error: unknown) => void,
  ) {}

  get hasRoom(): boolean {
    return this.held < HELD_MAX;
  }

  get held(): number {
    return this.#waiting.length + this.#running;
  }

  submitSoon(stream: StreamName, cvv: Secret<string>): void {
    this.#waiting.push({ stream, cvv });
    this.#next();
  }

  /** Resolves when nothing is held any more, or after the caller's own deadline, whichever it races with. */
  drained(): Promise<void> {
    if (this.held === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #next(): void {
    while (this.#running < SUBMITS_AT_ONCE_MAX) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#running++;
      void this.contexts
        .open(next.stream)
        .then((open) => this.submitting.submit(open, next.cvv))
        .catch((error: unknown) => this.onError(next.stream, error))
        .finally(() => {
          this.#running--;
          this.#next();
        });
    }
    if (this.held === 0) this.#onIdle?.();
  }
}
