import type { Scheduler } from '@app/kernel';
import type { CallLimit, CallTrace } from '@app/gateway-adapters/contract';

export type CallOutcome<Answer> = Ended<Answer> | { readonly kind: 'late'; readonly ending: Promise<Ended<Answer>> };

export type Ended<Answer> = { readonly kind: 'answered'; readonly answer: Answer } | { readonly kind: 'failed'; readonly error: unknown };

/** Created lazily: most calls end long before the limit, and not every gate takes a trace. */
class Limit implements CallLimit {
  #controller: AbortController | undefined;
  #isOver = false;

  #trace: CallTrace | undefined;

  constructor(
    readonly withinMs: number,
    private readonly traceparent: () => string | undefined,
  ) {}

  get trace(): CallTrace | undefined {
    const traceparent = this.#trace === undefined ? this.traceparent() : undefined;
    if (traceparent !== undefined) this.#trace = { traceparent };
    return this.#trace;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  end(): void {
    this.#isOver = true;
    this.#controller?.abort();
  }
}

/**
 * Resolves in time even if the call does not; never throws.
 * @param traceparent read only on demand
 */
export const callInTime = <Answer>({
  scheduler,
  timeoutMs,
  call,
  traceparent,
}: {
  readonly scheduler: Scheduler;
  readonly timeoutMs: number;
  readonly call: (limit: CallLimit) => Promise<Answer>;
  readonly traceparent: () => string | undefined;
}): Promise<CallOutcome<Answer>> =>
  new Promise((resolve) => {
    const limit = new Limit(timeoutMs, traceparent);
    let endLate: ((ended: Ended<Answer>) => void) | undefined;
    const deadline = scheduler.after(timeoutMs, () => {
      resolve({ kind: 'late', ending: new Promise((resolveLate) => (endLate = resolveLate)) });
      limit.end();
    });
    const end = (ended: Ended<Answer>): void => {
      if (endLate !== undefined) return endLate(ended);
      deadline.cancel();
      resolve(ended);
    };
    const fail = (error: unknown): void => end({ kind: 'failed', error });
    try {
      call(limit).then((answer) => end({ kind: 'answered', answer }), fail);
    } catch (error) {
      fail(error);
    }
  });
