import fc from 'fast-check';
import { addMs, isRejection, type AttemptKey, type GateAlias, type Instant, type Sealed } from '@app/kernel';
import {
  ACCEPTED_AT,
  BOOT_ID,
  deciderSpec,
  deviceCommands,
  deviceOrderUnder,
  devicePlan,
  FEE_A,
  FEE_B,
  GATE_FEE_A,
  GATE_FEE_B,
  gateAnswers,
  processingCommands,
  sampleDeviceOrder,
  sampleReceipt,
  usd,
  expectSame,
} from '@app/testing';
import type { Plan } from '../accepted-order';
import type { GateAnswer, GateChoice } from '../attempts';
import { nextStep } from '../next-step';
import { SUBMIT_OVERDUE_MS } from '../processing';
import { CHECK_FAILURES } from '../device.events';
import {
  decideDeviceOrder,
  deviceOrderOf,
  evolveDeviceOrder,
  type DeviceOrder,
  type DeviceOrderCommand,
  type DeviceOrderEvent,
} from './device-order';

const RUNS = 160;
const STEPS_MAX = 40;
const DRIVEN_STEPS_MAX = 20;
const CHOICE_MS = 600_000;
const ENDS = ['OrderApproved', 'OrderDeclined', 'OrderFiltered', 'OrderFailed'];

interface Step {
  readonly doing:
    | 'check'
    | 'check-failed'
    | 'start'
    | 'answer'
    | 'payer-return'
    | 'absent-payer'
    | 'choose'
    | 'absent-choice'
    | 'conclude'
    | 'interrupt'
    | 'resolve';
  readonly answer: GateAnswer | GateChoice;
  readonly isForNewest: boolean;
  readonly elapsedMs: number;
  readonly isHolderGone: boolean;
  readonly isAcknowledged: boolean;
  readonly isNotificationOff: boolean;
  readonly offers: readonly (typeof FEE_A)[];
  readonly feeAskedBy: GateAlias | undefined;
  readonly choice: GateAlias;
  readonly failure: (typeof CHECK_FAILURES)[number];
  readonly randomSum: 'AUTHENTICATED' | 'NOT_AUTHENTICATED' | undefined;
}

const GATE_CHOICE: GateChoice = {
  kind: 'choice-needed',
  offers: [GATE_FEE_A, GATE_FEE_B],
  session: 'sealed-session' as Sealed,
  choiceDueAt: addMs(ACCEPTED_AT, CHOICE_MS),
};

const answer: fc.Arbitrary<GateAnswer | GateChoice> = fc.constantFrom<GateAnswer | GateChoice>(
  GATE_CHOICE,
  GATE_CHOICE,
  gateAnswers.approved(),
  gateAnswers.approved({ receipt: sampleReceipt({ commission: FEE_B.commission }) }),
  gateAnswers.approved({ receipt: sampleReceipt({ commission: usd(7n) }) }),
  gateAnswers.declined(),
  gateAnswers.declined({ code: 100 }),
  gateAnswers.unknown(),
  gateAnswers.notAsked(),
  gateAnswers.payerNeeded({ payerDueAt: addMs(ACCEPTED_AT, 900_000) }),
);

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    doing: fc.constantFrom(
      ...(['check', 'check', 'check', 'start', 'start', 'start', 'answer', 'answer', 'answer', 'conclude', 'conclude'] as const),
      ...(['choose', 'choose', 'check-failed', 'payer-return', 'absent-payer', 'absent-choice', 'interrupt', 'resolve'] as const),
    ),
    answer,
    isForNewest: fc.integer({ min: 0, max: 9 }).map((die) => die > 0),
    elapsedMs: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 400_000 })),
    isHolderGone: fc.integer({ min: 0, max: 3 }).map((die) => die === 0),
    isAcknowledged: fc.boolean(),
    isNotificationOff: fc.boolean(),
    offers: fc.constantFrom([FEE_A, FEE_B], [FEE_A, FEE_B], [FEE_B], []),
    feeAskedBy: fc.constantFrom(undefined, FEE_A.gate, FEE_B.gate),
    choice: fc.constantFrom(FEE_A.gate, FEE_B.gate, 'sim-x' as GateAlias, GATE_FEE_A.option as GateAlias, GATE_FEE_B.option as GateAlias),
    failure: fc.constantFrom(...CHECK_FAILURES),
    randomSum: fc.constantFrom('AUTHENTICATED', 'NOT_AUTHENTICATED', undefined),
  }),
  { maxLength: STEPS_MAX, size: 'max' },
);

const plans: fc.Arbitrary<Plan> = fc
  .record({
    hasChoice: fc.boolean(),
    isRandomSumRequired: fc.integer({ min: 0, max: 4 }).map((die) => die === 0),
    hasCvv: fc.boolean(),
  })
  .map(({ hasChoice, isRandomSumRequired, hasCvv }) =>
    devicePlan({ device: { ...(hasChoice && { feeChoiceMs: CHOICE_MS }), isRandomSumRequired }, ...(hasCvv && { cvvHolder: BOOT_ID }) }),
  );

const UNKNOWN_KEY = 'unknown-key' as AttemptKey;

const commandOf = (step: Step, state: DeviceOrder, now: Instant, freshKey: AttemptKey): DeviceOrderCommand => {
  const newest = state.attempts.status === 'none' ? UNKNOWN_KEY : state.attempts.key;
  const key = step.isForNewest ? newest : UNKNOWN_KEY;
  const { randomSum, offers, feeAskedBy, isAcknowledged, isNotificationOff } = step;
  switch (step.doing) {
    case 'check': {
      const { data, ...command } = deviceCommands.recordCheck({
        offers,
        ...(feeAskedBy && { feeAskedBy }),
        ...(randomSum && { randomSum }),
      });
      return { ...command, data: { ...data, now } };
    }
    case 'check-failed': {
      const { data, ...command } = deviceCommands.recordFailedCheck(step.failure);
      return { ...command, data: { ...data, now } };
    }
    case 'start':
      return processingCommands.start({ key: freshKey, gate: (state.due ?? state.routeStep).gate, now });
    case 'answer': {
      const { data, ...command } = processingCommands.record(gateAnswers.unknown(), { key, now });
      return { ...command, data: { ...data, answer: step.answer } };
    }
    case 'payer-return':
      return processingCommands.recordPayerReturn({ key, now });
    case 'absent-payer':
      return processingCommands.declineAbsentPayer({ key, now });
    case 'choose':
      return deviceCommands.chooseFee({ gate: step.choice, now });
    case 'absent-choice':
      return deviceCommands.declineAbsentChoice({ now });
    case 'conclude':
      return deviceCommands.conclude({ key, isAcknowledged, ...(isNotificationOff && { isNotificationOff }), now });
    case 'interrupt':
      return processingCommands.interrupt({ isHolderGone: step.isHolderGone, now });
    case 'resolve':
      return processingCommands.resolve({ key, now });
  }
};

const positions = (log: readonly DeviceOrderEvent[], ...types: readonly string[]): number[] =>
  log.flatMap(({ type }, index) => (types.includes(type) ? [index] : []));

/** Fees are offered once, for the current attempt; one offered fee is chosen at most once, in time. */
const checkGateFees = (plan: Plan, log: readonly DeviceOrderEvent[]): void => {
  const [offeredAt, ...offeredAgain] = positions(log, 'GateFeesOffered');
  const [chosenAt, ...chosenAgain] = positions(log, 'GateFeeChosen');
  expectSame([...offeredAgain, ...chosenAgain], []);
  const offered = log[offeredAt ?? -1];
  if (offered?.type !== 'GateFeesOffered') return void expect(chosenAt).toBeUndefined();
  expect(plan.device?.feeChoiceMs).toBeDefined();
  expectSame(positions(log, 'FeesOffered'), []);
  const started = log.slice(0, offeredAt).findLast(({ type }) => type === 'AttemptStarted');
  expect(started).toMatchObject({ data: { attemptKey: offered.data.attemptKey } });
  const chosen = log[chosenAt ?? -1];
  if (chosen?.type !== 'GateFeeChosen') return;
  expect(chosenAt).toBeGreaterThan(offeredAt ?? Infinity);
  const { attemptKey, chosenAt: at, ...fee } = chosen.data;
  expectSame(attemptKey, offered.data.attemptKey);
  expect(offered.data.offers).toContainEqual(fee);
  expect(at).toBeLessThan(offered.data.choiceDueAt);
  // A choice that may have reached the gate is never followed by a decline of the absent consumer.
  expect(
    log.slice(chosenAt).some((event) => event.type === 'AttemptDeclined' && event.data.by === 'payer-absent' && !wasChallenged(log)),
  ).toBe(false);
};

const wasChallenged = (log: readonly DeviceOrderEvent[]): boolean => log.some(({ type }) => type === 'PayerChallenged');

/** Checks the rules of the interface, section 3.2, and of protocol decisions, section 8, only on the log. */
const checkLog = (plan: Plan, log: readonly DeviceOrderEvent[]): void => {
  const checks = positions(log, 'MerchantChecked', 'MerchantCheckFailed');
  const starts = positions(log, 'AttemptStarted');
  const ends = positions(log, ...ENDS);
  const offers = positions(log, 'FeesOffered');
  const choices = positions(log, 'FeeChosen');
  expectSame(
    [checks.length, ends.length, offers.length, choices.length].every((count) => count <= 1),
    true,
  );
  const checked = log[checks[0] ?? -1];
  for (const start of starts) {
    // No gate is asked before the check has passed and the choice, if any, is made.
    expectSame(checked?.type, 'MerchantChecked');
    expect(start).toBeGreaterThan(checks[0] ?? Infinity);
    if (checked?.type === 'MerchantChecked' && checked.data.feeAskedBy !== undefined)
      expect(log[start]).toMatchObject({ data: { gate: checked.data.feeAskedBy } });
    else if (plan.device?.feeChoiceMs !== undefined) expect(start).toBeGreaterThan(choices[0] ?? Infinity);
    if (plan.device?.isRandomSumRequired) expect(checked).toMatchObject({ data: { randomSum: 'AUTHENTICATED' } });
  }
  const offered = log[offers[0] ?? -1];
  const chosen = log[choices[0] ?? -1];
  if (chosen?.type === 'FeeChosen') {
    if (offered?.type !== 'FeesOffered') throw new Error('chosen of nothing');
    const { chosenAt, ...offer } = chosen.data;
    expect(offered.data.offers).toContainEqual(offer);
    expect(chosenAt).toBeLessThan(offered.data.choiceDueAt);
    for (const start of starts) expect(log[start]).toMatchObject({ data: { gate: offer.gate } });
    expectSame(positions(log, 'NextAttemptChosen'), []);
  }
  checkGateFees(plan, log);
  const [end] = ends;
  if (end === undefined) return;
  expectSame(
    log.slice(end + 1).map(({ type }) => type),
    log.slice(end + 1).map(() => 'LateResultConflict'),
  );
  const last = log[end];
  const mapped = positions(log, 'CardsMapped');
  if (last?.type !== 'OrderApproved') {
    expectSame(mapped, []);
    return;
  }
  // Both in one append, after the answer that approved this attempt.
  expectSame(mapped, [end - 1]);
  const approvedAt = log.findIndex(
    (event) =>
      (event.type === 'AttemptApproved' || (event.type === 'AttemptSettled' && event.data.as === 'approved')) &&
      event.data.attemptKey === last.data.attemptKey,
  );
  expect(approvedAt).toBeGreaterThanOrEqual(0);
  expect(approvedAt).toBeLessThan(end);
  const { isAcknowledged, isNotificationOff = false } = (log[end - 1] as Extract<DeviceOrderEvent, { type: 'CardsMapped' }>).data;
  expectSame(last.data.callbacks.includes('notification'), !isAcknowledged && !isNotificationOff);
};

interface Run {
  readonly log: readonly DeviceOrderEvent[];
  readonly state: DeviceOrder;
  readonly now: Instant;
}

const run = (plan: Plan, script: readonly Step[]): Run => {
  let state = deviceOrderOf(sampleDeviceOrder({ plan }));
  let now = ACCEPTED_AT;
  const log: DeviceOrderEvent[] = [];
  for (const [index, step] of script.entries()) {
    now = addMs(now, step.elapsedMs);
    const decision = decideDeviceOrder(commandOf(step, state, now, `key-${index}` as AttemptKey), state);
    if (isRejection(decision)) continue;
    log.push(...decision);
    state = decision.reduce(evolveDeviceOrder, state);
  }
  return { log, state, now };
};

const agendaCommand = (state: DeviceOrder, now: Instant, freshKey: AttemptKey): DeviceOrderCommand => {
  const step = nextStep(state, now);
  const key = state.attempts.status === 'none' ? UNKNOWN_KEY : state.attempts.key;
  switch (step.task) {
    case 'submit': {
      if (state.device.status !== 'unchecked')
        return processingCommands.start({ key: freshKey, gate: (state.due ?? state.routeStep).gate, now });
      const { data, ...command } = deviceCommands.recordCheck({ offers: [FEE_A], randomSum: 'AUTHENTICATED' });
      return { ...command, data: { ...data, now } };
    }
    case 'interrupt':
      return processingCommands.interrupt({ now: addMs(step.dueAt, SUBMIT_OVERDUE_MS) });
    case 'inquire':
      return processingCommands.record(gateAnswers.approved(), { key, now });
    case 'decline-absent-payer':
      return processingCommands.declineAbsentPayer({ key, now: step.dueAt });
    case 'decline-absent-choice':
      return deviceCommands.declineAbsentChoice({ now: step.dueAt });
    case 'conclude':
      return deviceCommands.conclude({ key, now });
    case 'nothing':
      throw new Error('an order that is not final waits for nothing');
  }
};

describe('a device order under random commands', () => {
  it('needs the check first, allows one choice, ends once, and is approved only with mapped cards [W62]', () => {
    fc.assert(
      fc.property(plans, steps, (plan, script) => checkLog(plan, run(plan, script).log)),
      { numRuns: RUNS },
    );
  });

  it('always has a next step that leads to its end, and none after it', () => {
    fc.assert(
      fc.property(plans, steps, (plan, script) => {
        const { state: left, log, now } = run(plan, script);
        let state = left;
        const driven = [...log];
        for (let step = 0; state.end === undefined; step++) {
          expect(step).toBeLessThan(DRIVEN_STEPS_MAX);
          const decision = decideDeviceOrder(agendaCommand(state, now, `driven-${step}` as AttemptKey), state);
          if (isRejection(decision)) throw new Error(`the agenda was refused: ${decision.reason}`);
          driven.push(...decision);
          state = decision.reduce(evolveDeviceOrder, state);
        }
        expectSame(nextStep(state, now), { task: 'nothing' });
        checkLog(plan, driven);
      }),
      { numRuns: RUNS },
    );
  });

  it('rejects every device command after its end [W62]', () => {
    fc.assert(
      fc.property(plans, steps, (plan, script) => {
        const { state, now } = run(plan, script);
        fc.pre(state.end !== undefined);
        const key = state.attempts.status === 'none' ? UNKNOWN_KEY : state.attempts.key;
        for (const command of [
          deviceCommands.recordCheck(),
          deviceCommands.chooseFee(),
          deviceCommands.declineAbsentChoice({ now: addMs(now, CHOICE_MS) }),
          deviceCommands.conclude({ key }),
        ]) {
          expectSame(decideDeviceOrder(command, state), { reason: 'order-final' });
        }
      }),
      { numRuns: RUNS },
    );
  });
});

it('the events of a device order project to the same state', () => {
  const { given } = deciderSpec(deviceOrderUnder(devicePlan()));
  fc.assert(
    fc.property(steps, (script) => {
      const { log, state } = run(devicePlan(), script);
      expectSame(given(...log).state, state);
    }),
    { numRuns: RUNS / 4 },
  );
});
