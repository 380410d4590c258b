import { settle } from '@app/testing';
import fc from 'fast-check';
import { BackgroundThrottle } from './background-throttle';

const setUp = () => {
  let nowMs = 0;
  const throttle = new BackgroundThrottle({ monotonic: { elapsedMs: () => nowMs } });
  const begun: number[] = [];
  const waiting: number[] = [];
  const startNext = (): boolean => {
    const next = waiting.shift();
    if (next !== undefined) begun.push(next);
    return next !== undefined;
  };
  const due = (numbers: readonly number[]): void => {
    waiting.push(...numbers);
    throttle.start(startNext);
  };
  /** @returns how many items it started */
  const turn = async (ms: number): Promise<number> => {
    const before = begun.length;
    nowMs += ms;
    await settle(1);
    return begun.length - before;
  };
  return { throttle, begun, due, turn };
};
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

describe('BackgroundThrottle', () => {
  it('starts due work at once if no requests arrive', () => {
    const { due, begun } = setUp();
    due([1, 2, 3, 4, 5]);
    expect(begun).toStrictEqual([1, 2, 3, 4, 5]);
  });

  it('starts one more item each turn of at most 5 ms, half as many after a longer one, and never less than two', async () => {
    const { throttle, due, turn } = setUp();
    throttle.requestCame();
    due(numbers(500));
    const started: number[] = [];
    for (const ms of [0, 1, 5, 5, 0, 6, 6, 6, 5]) {
      throttle.requestCame();
      started.push(await turn(ms));
    }
    expect(started).toStrictEqual([3, 4, 5, 6, 7, 3, 2, 2, 3]);
  });

  it('starts the work of several callers in turn', async () => {
    const { throttle, turn } = setUp();
    const begun: string[] = [];
    const caller = (name: string, count: number) => () => begun.length < 100 && count-- > 0 && begun.push(name) > 0;
    throttle.requestCame();
    throttle.start(caller('a', 9));
    throttle.start(caller('b', 2));
    for (let n = 0; n < 9; n++) await turn(0);
    expect(begun.join('')).toBe('ababaaaaaaa');
  });

  it('starts at most 64 items in a turn while requests arrive', async () => {
    const { throttle, due, turn } = setUp();
    throttle.requestCame();
    due(numbers(5_000));
    for (let before = 0; before < 100; before++) await turn(0);
    expect(await turn(0)).toBe(64);
  });

  it('starts all waiting work once no request has arrived for 50 ms', async () => {
    const { throttle, due, begun, turn } = setUp();
    throttle.requestCame();
    due(numbers(20));
    await turn(49);
    expect(begun.length).toBeLessThan(20);
    throttle.requestCame();
    await turn(49);
    expect(begun.length).toBeLessThan(20);
    await turn(1);
    expect(begun).toStrictEqual(numbers(20));
    due([20]);
    expect(begun).toHaveLength(21);
  });

  it('keeps the order and loses no work, under any sequence of requests and due work', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('request', 'due', 'turn', 'time'), { maxLength: 60 }), async (steps) => {
        const { throttle, due, begun, turn } = setUp();
        let given = 0;
        for (const step of steps) {
          if (step === 'request') throttle.requestCame();
          if (step === 'due') due([given++]);
          if (step === 'turn') await turn(0);
          if (step === 'time') await turn(30);
        }
        await settle(given + 1);
        expect(begun).toStrictEqual(numbers(given));
      }),
      { numRuns: 200 },
    ));
});
