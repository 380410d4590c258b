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
