import type { Scheduler } from '@app/kernel';
import type { CallLimit, CallTrace } from '@app/gateway-adapters/contract';

/** How a call stood when its time was over, or before it: `late` while it still goes on. */
export type Heard<Answer> = Ended<Answer> | { readonly kind: 'late'; readonly ending: Promise<Ended<Answer>> };

export type Ended<Answer> = { readonly kind: 'answered'; readonly answer: Answer } | { readonly kind: 'failed'; readonly error: unknown };

/** Signal and trace are made where they are asked for: most calls end long before, and not every gate hears of traces. */
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
 * Calls once, and resolves within the time given whatever the call does; never throws.
 * @param traceparent what the call is sent under, once it asks
 */
export const callInTime = <Answer>(
  scheduler: Scheduler,
  timeoutMs: number,
  call: (limit: CallLimit) => Promise<Answer>,
  traceparent: () => string | undefined,
): Promise<Heard<Answer>> =>
  new Promise((resolve) => {
    const limit = new Limit(timeoutMs, traceparent);
    let tellLate: ((ended: Ended<Answer>) => void) | undefined;
    const deadline = scheduler.after(timeoutMs, () => {
      resolve({ kind: 'late', ending: new Promise((tell) => (tellLate = tell)) });
      limit.end();
    });
    const end = (ended: Ended<Answer>): void => {
      if (tellLate !== undefined) return tellLate(ended);
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
