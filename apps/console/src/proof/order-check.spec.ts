import { KEPT_MAX, NOTHING_CHECKED, withChecked, type OrderCheck } from './order-check';
import type { ProofStep, StepState } from './proof-steps';

interface Event {
  readonly number: number;
  readonly steps: readonly ProofStep[];
}

const after = (count: number, stateOf: (number: number) => StepState): OrderCheck<Event> => {
  let check: OrderCheck<Event> = NOTHING_CHECKED;
  for (let number = 1; number <= count; number++)
    check = withChecked(check, { number, steps: [{ name: 'path', state: stateOf(number), text: '' }] });
  return check;
};
const numbers = (events: readonly Event[]): readonly number[] => events.map(({ number }) => number);

it('keeps every event of a short order, in order', () => {
  const { done, failed, unchecked, failures, latest } = after(3, (number) => (number === 2 ? 'failed' : 'held'));
  expect({ done, failed, unchecked, failures, latest: numbers(latest) }).toStrictEqual({
    done: 3,
    failed: 1,
    unchecked: 0,
    failures: [],
    latest: [1, 2, 3],
  });
});

it('keeps the last events of a long order, and each earlier one that failed', () => {
  const check = after(2 * KEPT_MAX + 5, (number) => ([7, KEPT_MAX + 1, 2 * KEPT_MAX + 2].includes(number) ? 'failed' : 'held'));
  expect(numbers(check.failures)).toStrictEqual([7, KEPT_MAX + 1]);
  expect(numbers(check.latest)).toStrictEqual([1, 2, 3, 4, 5].map((number) => number + 2 * KEPT_MAX));
  expect([check.done, check.failed]).toStrictEqual([2 * KEPT_MAX + 5, 3]);
});

it('keeps the same number of events however many fail, and counts all', () => {
  const check = after(5 * KEPT_MAX, () => 'failed');
  expect(numbers(check.failures)).toStrictEqual(Array.from({ length: KEPT_MAX }, (_, index) => index + 1));
  expect([check.latest.length, check.failed]).toStrictEqual([KEPT_MAX, 5 * KEPT_MAX]);
});

it('counts what could not be checked separately', () => {
  const check = after(2, (number) => (number === 1 ? 'unchecked' : 'held'));
  expect([check.failed, check.unchecked]).toStrictEqual([0, 1]);
});
