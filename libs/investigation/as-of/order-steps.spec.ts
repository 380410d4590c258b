import fc from 'fast-check';
import { addMs, type Instant } from '@app/kernel';
import type { OrderEvent } from '@app/read-models';
import { START } from '@app/read-models/testing';
import { attemptEvents, finalEvents, followUpEvents, sampleOrder, sampleReceipt } from '@app/testing';
import { anyAppends, recorded, type Append } from '../testing/recorded';
import { datedEvents, eventsAsOf, orderState, viewAfter, type DatedEvent } from './dated-events';
import { orderSteps } from './order-steps';
import { type FieldChange, leavesOf } from '../words/fields';

/** What a console does with the answer. */
const stateOf = (changes: readonly FieldChange[]): Readonly<Record<string, unknown>> => {
  const state: Record<string, unknown> = {};
  for (const { field, before, after } of changes) {
    expect(state[field] ?? null).toBe(before);
    state[field] = after;
  }
  return withoutNulls(state);
};
const withoutNulls = (state: object) => Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
const stateAfter = (events: readonly DatedEvent[]) => {
  const view = viewAfter(events);
  return view === undefined ? {} : withoutNulls(Object.fromEntries(leavesOf(orderState(view))));
};

it('the changes of an order add up to its state at every moment of both clocks', async () => {
  const choices = fc.array(fc.nat(12), { maxLength: 25 });
  const clocks = fc.array(fc.integer({ min: -40_000, max: 40_000 }), { minLength: 1, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(choices, clocks, async (taken, skews) => {
      const events = datedEvents(recorded(anyAppends(taken, skews)));
      const { steps, trueSteps } = await orderSteps(events);
      for (const [index] of events.entries())
        expect(stateOf(steps.slice(0, index + 1).flatMap(({ changes }) => changes))).toStrictEqual(stateAfter(events.slice(0, index + 1)));
      const byTrueTime = trueSteps ?? steps.map(({ event: { trueAt }, changes }) => ({ trueAt, changes }));
      for (const { trueAt } of byTrueTime) {
        const at = Date.parse(trueAt) as Instant;
        const upTo = byTrueTime.filter((step) => Date.parse(step.trueAt) <= at).flatMap(({ changes }) => changes);
        expect(stateOf(upTo)).toStrictEqual(stateAfter(eventsAsOf(events, { kind: 'true-at', at })));
      }
    }),
    { numRuns: 100 },
  );
});

const FOLLOW_UPS = 1_000;
const at = (seconds: number): Instant => addMs(START, seconds * 1_000);
const accepted: OrderEvent = { type: 'OrderAccepted', data: sampleOrder({ acceptedAt: START }) };
const approved: readonly Append[] = [
  { at: START, events: [accepted] },
  { at: at(1), events: [attemptEvents.started()] },
  { at: at(2), events: [attemptEvents.approved({ receipt: sampleReceipt({ processedAt: at(2) }) }), finalEvents.approved()] },
];
const followUp = (number: number): readonly Append[] => [
  { at: at(number * 10), events: [followUpEvents.accepted({ number })] },
  { at: at(number * 10 + 1), events: [followUpEvents.started({ number })] },
  { at: at(number * 10 + 2), events: [followUpEvents.unknown({ number })] },
  { at: at(number * 10 + 3), events: [followUpEvents.failed({ number }), followUpEvents.conflict({ number })] },
];

it('an order of 5,000 events has as many changes as its events make, not as its state has fields', async () => {
  const appends = [...approved, ...Array.from({ length: FOLLOW_UPS }, (_, index) => followUp(index + 1)).flat()];
  const events = datedEvents(recorded(appends));
  const { steps, trueSteps } = await orderSteps(events);
  expect(events.length).toBeGreaterThan(5_000);
  expect(trueSteps).toBeNull();
  expect(steps.reduce((sum, { changes }) => sum + changes.length, 0)).toBeLessThan(5 * events.length);
});

it('the changes by the clocks of gates end with a word if too many events were recorded late', async () => {
  const late: readonly Append[] = [
    ...approved.slice(0, 2),
    { at: at(30), events: [attemptEvents.unknown()] },
    { at: at(60), events: [attemptEvents.approved({ receipt: sampleReceipt({ processedAt: at(10) }) }), finalEvents.approved()] },
  ];
  const events = datedEvents(recorded(late));
  expect((await orderSteps(events)).areTrueStepsCut).toBeUndefined();
  const { steps, trueSteps, areTrueStepsCut } = await orderSteps(events, 5);
  expect([steps.length, trueSteps?.map(({ revisions }) => revisions), areTrueStepsCut]).toStrictEqual([5, [[0], [1], [3, 4]], true]);
});
