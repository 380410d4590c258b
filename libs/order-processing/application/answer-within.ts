import type { Scheduler } from '@app/kernel';

/** What silence and a throw are taken for. */
export interface NoAnswer<Instead> {
  readonly late: () => Instead;
  readonly failed: (error: unknown) => Instead;
}

/** Calls once, and settles within the time given whatever the call does; what it says later is heard by nobody. */
export const answerWithin = <Answer, Instead>(
  scheduler: Scheduler,
  timeoutMs: number,
  call: () => Promise<Answer>,
  { late, failed }: NoAnswer<Instead>,
): Promise<Answer | Instead> =>
  new Promise((resolve) => {
    const deadline = scheduler.after(timeoutMs, () => resolve(late()));
    const fail = (error: unknown): void => resolve(failed(error));
    let answer: Promise<Answer>;
    try {
      answer = call();
    } catch (error) {
      deadline.cancel();
      fail(error);
      return;
    }
    answer.then(resolve, fail).finally(() => deadline.cancel());
  });
