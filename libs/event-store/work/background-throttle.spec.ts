import { addMs } from '@app/kernel';
import { settle, VirtualClock } from '@app/testing';
import fc from 'fast-check';
import { BackgroundThrottle } from './background-throttle';

const setUp = () => {
  const clock = new VirtualClock();
  const throttle = new BackgroundThrottle({ clock, monotonic: clock });
  const begun: number[] = [];
  const due = (numbers: readonly number[], lateMs = 0): void => {
    for (const number of numbers) throttle.begin(addMs(clock.now(), -lateMs), () => begun.push(number));
  };
  const overTurns = async (count: number): Promise<readonly number[]> => {
    const seen: number[] = [];
    for (let turn = 0; turn < count; turn++) {
      seen.push(begun.length);
      await settle(1);
    }
    return seen;
  };
  return { clock, throttle, begun, due, overTurns };
};
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

describe('BackgroundThrottle', () => {
  it('starts due work at once if no requests arrive', () => {
    const { due, begun } = setUp();
    due([1, 2, 3, 4, 5]);
    expect(begun).toStrictEqual([1, 2, 3, 4, 5]);
  });

  it.each([
    [0, [0, 2, 4, 6]],
    [4_999, [0, 2, 4, 6]],
    [5_000, [0, 4, 8, 12]],
    [19_999, [0, 16, 32, 48]],
    [25_000, [0, 64, 128, 192]],
    [3_600_000, [0, 64, 128, 192]],
    [-5_000, [0, 2, 4, 6]],
  ])('starts work that is %i ms late at a rate per tick that grows with the delay, while requests arrive', async (lateMs, expected) => {
    const { throttle, due, overTurns } = setUp();
    throttle.requestCame();
    due(numbers(500), lateMs);
    expect(await overTurns(4)).toStrictEqual(expected);
  });

  it('starts all waiting work once no request has arrived for 50 ms', async () => {
    const { clock, throttle, due, begun } = setUp();
    throttle.requestCame();
    due(numbers(20));
    await clock.advance(49);
    expect(begun.length).toBeLessThan(20);
    throttle.requestCame();
    await clock.advance(49);
    expect(begun.length).toBeLessThan(20);
    await clock.advance(1);
    await settle(1);
    expect(begun).toStrictEqual(numbers(20));
    due([20]);
    expect(begun).toHaveLength(21);
  });

  it('keeps the order and loses no work, under any sequence of requests and due work', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('request', 'due', 'turn', 'time'), { maxLength: 60 }), async (steps) => {
        const { clock, throttle, due, begun } = setUp();
        let given = 0;
        for (const step of steps) {
          if (step === 'request') throttle.requestCame();
          if (step === 'due') due([given++]);
          if (step === 'turn') await settle(1);
          if (step === 'time') await clock.advance(30);
        }
        await settle(given + 1);
        expect(begun).toStrictEqual(numbers(given));
      }),
      { numRuns: 200 },
    ));
});
