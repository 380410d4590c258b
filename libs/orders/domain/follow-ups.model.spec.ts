import fc from 'fast-check';
import { addMs, isRejection, type AttemptKey } from '@app/kernel';
import {
  ABLE_GATE,
  attemptEvents,
  deciderSpec,
  finalEvents,
  FOLLOW_UP_AT,
  followUpAnswers,
  followUpCommands,
  SAMPLE_AMOUNT,
  sampleGate,
  sampleOrder,
  samplePlan,
  usd,
  expectSame,
} from '@app/testing';
import type { FollowUpEvent } from './follow-up.events';
import type { FollowUpAnswer } from './follow-ups';
import { decideProcessing, evolveProcessing, processingOf, type ProcessingCommand, type ProcessingEvent } from './processing';
import type { FollowUpKind } from './request-follow-up';

const RUNS = 75;
const SAMPLES = 150;
const REQUESTS_MAX = 10;
const STEPS_MAX = 40;
const FULL = SAMPLE_AMOUNT.minor;

interface Step {
  readonly doing: 'request' | 'start' | 'answer' | 'resolve';
  readonly kind: FollowUpKind;
  readonly amount: bigint | undefined;
  readonly number: number;
  readonly answer: FollowUpAnswer;
  readonly as: 'approved' | 'declined';
  readonly elapsedMs: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    doing: fc.constantFrom('request', 'request', 'start', 'start', 'answer', 'answer', 'answer', 'resolve'),
    kind: fc.constantFrom('capture', 'return', 'return', 'void'),
    amount: fc.option(fc.oneof(fc.bigInt({ min: 1n, max: FULL + 1n }), fc.constantFrom(FULL, FULL / 2n, 0n)), { nil: undefined }),
    number: fc.integer({ min: 1, max: REQUESTS_MAX }),
    answer: fc.constantFrom<FollowUpAnswer>(
      followUpAnswers.approved(),
      followUpAnswers.approved(),
      followUpAnswers.declined(),
      followUpAnswers.unknown(),
      followUpAnswers.notAsked(),
      followUpAnswers.notAsked({ cause: 'never-heard-of' }),
    ),
    as: fc.constantFrom('approved', 'declined'),
    elapsedMs: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 40_000_000 })),
  }),
  { maxLength: STEPS_MAX, size: 'max' },
);

const commandOf = (step: Step, index: number, log: readonly FollowUpEvent[], now: ReturnType<typeof addMs>): ProcessingCommand => {
  const { number } = step;
  const begun = log.find((event) => event.type === 'FollowUpStarted' && event.data.number === number);
  const key = (begun?.type === 'FollowUpStarted' ? begun.data.attemptKey : `key-${index}`) as AttemptKey;
  switch (step.doing) {
    case 'request': {
      const { kind, amount } = step;
      return followUpCommands.request({ kind, now, ...(amount !== undefined && { amount: usd(amount) }) });
    }
    case 'start':
      return followUpCommands.start({ number, key: `key-${index}` as AttemptKey, now });
    case 'answer':
      return followUpCommands.record(step.answer, { number, key, now });
    case 'resolve':
      return followUpCommands.resolve({ number, as: step.as, now });
  }
};

type Fate = 'open' | 'approved' | 'no';

/** Everything accepted is sent, unless a gate revoked its answer. */
const checkKept = (log: readonly FollowUpEvent[], index: number): void => {
  const [begun, end] = log.slice(index);
  if (begun?.type !== 'FollowUpStarted' || end === undefined) return;
  expectSame(end.type, 'FollowUpFailed');
  expectSame(
    log.slice(0, index).some((event) => event.type === 'LateFollowUpConflict' && event.data.told === 'approved'),
    true,
  );
};

/** Read only from the log, not from the decider's state (safety, I1b and I12). */
const checkLog = (operation: 'sale' | 'preauth', isPartial: boolean, log: readonly FollowUpEvent[]): void => {
  const asked = new Map<number, { readonly operation: string; readonly minor: bigint; fate: Fate; isStarted: boolean }>();
  const keys = new Set<string>();
  const sum = (name: string, ...fates: readonly Fate[]) =>
    [...asked.values()].reduce((total, one) => (one.operation === name && fates.includes(one.fate) ? total + one.minor : total), 0n);
  const count = (name: string, ...fates: readonly Fate[]) =>
    [...asked.values()].filter((one) => one.operation === name && fates.includes(one.fate)).length;
  for (const event of log) {
    const { number } = event.data;
    if (event.type === 'FollowUpAccepted') {
      expectSame(number, asked.size + 1);
      const { amount } = event.data;
      expectSame(amount.minor > 0n, true);
      // Nothing follows what was voided or may have been.
      expectSame(count('void', 'open', 'approved'), 0);
      if (event.data.operation === 'void') {
        expect(event.data.acceptedAt).toBeLessThan(ABLE_GATE.voidableUntil);
        expectSame(count('reversal', 'open', 'approved'), 0);
      }
      if (event.data.operation === 'reversal' && operation === 'preauth') expectSame(count('capture', 'approved'), 1);
      if (event.data.operation === 'cancel') expectSame(count('capture', 'open', 'approved'), 0);
      if (!isPartial && operation === 'sale') expectSame(amount.minor, FULL);
      asked.set(number, { operation: event.data.operation, minor: amount.minor, fate: 'open', isStarted: false });
    } else {
      const one = asked.get(number);
      if (one === undefined) throw new Error(`${event.type} of what was never asked for`);
      if (event.type === 'FollowUpStarted') {
        expectSame(one.isStarted, false);
        expect(keys).not.toContain(event.data.attemptKey);
        keys.add(event.data.attemptKey);
        one.isStarted = true;
      } else expectSame(one.isStarted, true);
      if (event.type === 'FollowUpApproved' || (event.type === 'FollowUpSettled' && event.data.as === 'approved')) one.fate = 'approved';
      else if (event.type === 'FollowUpDeclined' || event.type === 'FollowUpFailed' || event.type === 'FollowUpSettled') one.fate = 'no';
      // The money counts again; the decider must not have granted it to another follow-up.
      else if (event.type === 'LateFollowUpConflict') return;
    }
    const captured = sum('capture', 'open', 'approved');
    const cancelled = sum('cancel', 'open', 'approved');
    expect(count('capture', 'open', 'approved')).toBeLessThanOrEqual(1);
    expect(count('void', 'open', 'approved')).toBeLessThanOrEqual(1);
    expectSame(captured + cancelled <= FULL, true);
    const taken = operation === 'sale' ? FULL : sum('capture', 'approved');
    expectSame(sum('reversal', 'open', 'approved') <= taken, true);
    if (operation === 'sale') expectSame(captured + cancelled, 0n);
    else expectSame(count('void', 'open', 'approved', 'no'), 0);
  }
};

const live = (operation: 'sale' | 'preauth', isPartial: boolean, todo: readonly Step[]): readonly FollowUpEvent[] => {
  const gate = sampleGate({ partialCapture: isPartial, partialReversal: isPartial });
  const initial = processingOf(sampleOrder({ plan: samplePlan({ operation, gates: [gate] }) }));
  const { given } = deciderSpec({ initial, evolve: evolveProcessing, decide: decideProcessing });
  const before: readonly ProcessingEvent[] = [attemptEvents.started(), attemptEvents.approved(), finalEvents.approved()];
  let log: readonly FollowUpEvent[] = [];
  let now = FOLLOW_UP_AT;
  for (const [index, step] of todo.entries()) {
    now = addMs(now, step.elapsedMs);
    const { when, state } = given(...before, ...log);
    const command = commandOf(step, index, log, now);
    const { decision } = when(command);
    expectSame(when(command).decision, decision);
    expectSame(state.end, finalEvents.approved());
    if (isRejection(decision)) continue;
    const length = log.length;
    log = [...log, ...(decision as readonly FollowUpEvent[])];
    checkKept(log, length);
  }
  return log;
};

describe('random follow-ups of a final order with random answers', () => {
  it.each(['sale', 'preauth'] as const)(
    'never capture more than was authorised or return more than was captured: %s [W473]',
    (operation) => {
      fc.assert(
        fc.property(steps, fc.boolean(), (todo, isPartial) => checkLog(operation, isPartial, live(operation, isPartial, todo))),
        { numRuns: RUNS },
      );
    },
  );

  it('include every event and every operation', () => {
    const seen = new Set<string>();
    for (const todo of fc.sample(steps, { numRuns: SAMPLES, seed: 1 })) {
      for (const operation of ['sale', 'preauth'] as const) {
        for (const { type, data } of live(operation, true, todo)) {
          seen.add(type);
          if ('operation' in data) seen.add(data.operation);
        }
      }
    }
    expect([...seen].sort()).toStrictEqual(
      [
        ...['FollowUpAccepted', 'FollowUpStarted', 'FollowUpUnknown', 'FollowUpApproved', 'FollowUpDeclined', 'FollowUpFailed'],
        ...['FollowUpSettled', 'LateFollowUpConflict', 'capture', 'reversal', 'cancel', 'void'],
      ].sort(),
    );
  });
});
