import { settle } from '@app/testing';
import { BoundedTasks } from './bounded-tasks';

/** A task that ends when it is told to. */
const heldTask = () => {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  const task = { hasBegun: false, end: (error?: Error) => end(error) };
  const run = (): Promise<void> => {
    task.hasBegun = true;
    return ended;
  };
  return Object.assign(task, { run });
};
const begun = (tasks: readonly { readonly hasBegun: boolean }[]): readonly boolean[] => tasks.map(({ hasBegun }) => hasBegun);

describe('bounded tasks', () => {
  it('are never more at once than their bound', async () => {
    const tasks = new BoundedTasks(2);
    const [one, two, three] = [heldTask(), heldTask(), heldTask()];
    await tasks.add([], one.run);
    await tasks.add([], two.run);
    const third = tasks.add([], three.run);
    await settle();
    expect(begun([one, two, three])).toStrictEqual([true, true, false]);
    two.end();
    await third;
    expect(begun([one, two, three])).toStrictEqual([true, true, true]);
    one.end();
    three.end();
    await tasks.drained();
  });

  it('begin no more after a failure, and fail with the first one once those under way have ended', async () => {
    const tasks = new BoundedTasks(3);
    const [failing, slow, waiting, late] = [heldTask(), heldTask(), heldTask(), heldTask()];
    await tasks.add(['a'], failing.run);
    await tasks.add([], slow.run);
    await tasks.add(['a'], waiting.run);
    const first = new Error('the first');
    failing.end(first);
    await settle();
    await expect(tasks.add([], late.run)).rejects.toBe(first);
    let isDrained = false;
    const draining = tasks.drained().finally(() => (isDrained = true));
    const failed = expect(draining).rejects.toBe(first);
    await settle();
    expect(isDrained).toBe(false);
    slow.end(new Error('the second'));
    await failed;
    expect(begun([waiting, late])).toStrictEqual([false, false]);
  });
});
