import fc from 'fast-check';
import { isRejection, type AttemptKey, type Decider, type GateAlias, type Instant, type NonEmpty } from '@app/kernel';
import {
  ACCEPTED_AT,
  BOOT_ID,
  deciderSpec,
  gateAnswers,
  processingCommands,
  RECEIPT_ID,
  routingEvents,
  RULES_VERSION,
  sampleGate,
  sampleOrder,
  samplePlan,
  usd,
  expectSame,
} from '@app/testing';
import type { AcceptedOrder } from './accepted-order';
import type { GateAnswer } from './attempts';
import { amountOfRouteStep, amountsOf } from './cascade';
import type { FinalEvent } from './final.events';
import { isEventOf } from './event-parts';
import { nextStep } from './next-step';
import {
  conclusionOf,
  decideProcessing,
  evolveProcessing,
  nextAttemptOf,
  processingOf,
  type Processing,
  type ProcessingCommand,
  type ProcessingEvent,
  type ProcessingRejection,
} from './processing';

const RUNS = 100;
const SAMPLES = 250;
const STEPS_MAX = 40;
const GATES = ['sim-a', 'sim-b', 'sim-c'] as const;

interface Step {
  readonly doing: 'start' | 'start-elsewhere' | 'answer' | 'payer-return' | 'absent-payer' | 'interrupt' | 'resolve' | 'taken';
  readonly answer: GateAnswer;
  readonly isForNewest: boolean;
  readonly gate: (typeof GATES)[number];
  readonly elapsedMs: number;
  readonly isHolderGone: boolean;
  readonly settledAs: 'approved' | 'declined';
  readonly isScreenedOut: boolean;
}

const answer: fc.Arbitrary<GateAnswer> = fc.constantFrom(
  gateAnswers.approved(),
  gateAnswers.declined(),
  gateAnswers.declined({ code: 100 }),
  gateAnswers.declined({ code: 100 }),
  gateAnswers.unknown(),
  gateAnswers.notAsked(),
  gateAnswers.notAsked({ cause: 'never-heard-of' }),
  gateAnswers.payerNeeded({ payerDueAt: (ACCEPTED_AT + 900_000) as Instant }),
  gateAnswers.payerNeeded({ payerDueAt: (ACCEPTED_AT + 900_000) as Instant }),
  gateAnswers.payerNeeded({ payerDueAt: (ACCEPTED_AT + 900_000) as Instant, isHosted: true }),
);

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    doing: fc.constantFrom(
      ...(['start', 'start', 'start', 'start', 'start', 'start', 'start', 'start-elsewhere'] as const),
      ...(['answer', 'answer', 'answer', 'answer', 'answer', 'answer', 'answer', 'answer'] as const),
      ...(['payer-return', 'absent-payer', 'interrupt', 'resolve', 'taken'] as const),
    ),
    answer,
    isForNewest: fc.integer({ min: 0, max: 9 }).map((die) => die > 0),
    gate: fc.constantFrom(...GATES),
    elapsedMs: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 600_000 })),
    isHolderGone: fc.boolean(),
    settledAs: fc.constantFrom('approved', 'declined'),
    isScreenedOut: fc.integer({ min: 0, max: 9 }).map((die) => die === 0),
  }),
  { maxLength: STEPS_MAX, size: 'max' },
);

const commandOf = (step: Step, state: Processing, at: { now: Instant; newest: AttemptKey; fresh: AttemptKey }): ProcessingCommand => {
  const { now } = at;
  const key = step.isForNewest ? at.newest : ('unknown-key' as AttemptKey);
  const routeStep = state.due ?? state.routeStep;
  const screened = routingEvents.screened({ screenedAt: now, ...(step.isScreenedOut && { brokenRule: 'per-card' }) }).data;
  const amount = amountOfRouteStep(state, routeStep);
  switch (step.doing) {
    case 'start':
      return { ...processingCommands.start({ key: at.fresh, gate: routeStep.gate, amount, now }), screened };
    case 'start-elsewhere':
      return {
        ...processingCommands.start({ key: at.fresh, gate: step.gate as GateAlias, amount: usd(amount.minor + 1n), now }),
        screened,
      };
    case 'answer':
      return processingCommands.record(step.answer, { key, now });
    case 'payer-return':
      return processingCommands.recordPayerReturn({ key, now });
    case 'absent-payer':
      return processingCommands.declineAbsentPayer({ key, now });
    case 'interrupt':
      return processingCommands.interrupt({ isHolderGone: step.isHolderGone, now });
    case 'taken':
      return processingCommands.recordTaken({ gateOrderId: at.newest }, { key, now });
    case 'resolve':
      return processingCommands.resolve({ key, as: step.settledAs, now });
  }
};

const isEnd = (event: ProcessingEvent): event is FinalEvent => event.type.startsWith('Order') && event.type !== 'OrderScreened';

interface Place {
  readonly amountNumber: number;
  readonly gateIndex: number;
}

/** An independent model of protocol decisions, section 7. */
const placeAfter = (
  order: AcceptedOrder,
  { amountNumber, gateIndex }: Place,
  outcome: { readonly as: 'declined' | 'not-asked'; readonly code?: number; readonly cause?: string; readonly by?: string },
  isAmountDeclined: boolean,
): Place | undefined => {
  if (outcome.cause === 'never-heard-of' || outcome.by === 'person') return undefined;
  const mayAskAnother = outcome.as === 'not-asked' || outcome.code === 100;
  if (mayAskAnother && gateIndex + 1 < order.plan.gates.length) return { amountNumber, gateIndex: gateIndex + 1 };
  if (isAmountDeclined && amountNumber < amountsOf(order).length) return { amountNumber: amountNumber + 1, gateIndex: 0 };
  return undefined;
};

/** Reads only the log, not the decider's state. */
const checkLog = (order: AcceptedOrder, log: readonly ProcessingEvent[]): void => {
  let open: AttemptKey | undefined;
  let outcome: { readonly key: AttemptKey; readonly as: 'approved' | 'declined' | 'not-asked' } | undefined;
  let end: FinalEvent | undefined;
  let startedCount = 0;
  let place: Place = { amountNumber: 1, gateIndex: 0 };
  let isDue = true;
  let next: Place | undefined;
  let lastDecline: { readonly code: number; readonly amountNumber: number } | undefined;
  let isMoneyMoved = false;
  let isHosted = false;
  const taken = new Set<string>();
  const told = new Set<string>();
  const resolve = (key: AttemptKey, as: 'approved' | 'declined' | 'not-asked'): void => {
    expectSame(key, open);
    outcome = { key, as };
    open = undefined;
  };
  for (const [index, event] of log.entries()) {
    if (event.type === 'OrderScreened') {
      expectSame({ startedCount, version: event.data.rulesVersion }, { startedCount: 0, version: order.plan.screening });
      expectSame(log[index + 1]?.type, event.data.brokenRule === undefined ? 'AttemptStarted' : 'OrderFiltered');
      continue;
    }
    if (event.type === 'NextAttemptChosen') {
      expectSame([end, open, isDue], [undefined, undefined, false]);
      expect(next).toBeDefined();
      place = next ?? place;
      const { gate, amountNumber, amount } = event.data;
      expectSame({ gate, amountNumber }, { gate: order.plan.gates[place.gateIndex]?.alias, amountNumber: place.amountNumber });
      expectSame(amount, amountsOf(order)[place.amountNumber - 1]);
      isDue = true;
      continue;
    }
    if (isEnd(event)) {
      expect(end).toBeUndefined();
      expect(open).toBeUndefined();
      end = event;
      if (event.type === 'OrderApproved') expectSame(outcome, { key: event.data.attemptKey, as: 'approved' });
      else expect(outcome?.as).not.toBe('approved');
      // An earlier decline is kept, unless the gate never received its attempt.
      if (event.type === 'OrderDeclined') expectSame(event.data.code, lastDecline?.code);
      if (event.type === 'OrderFailed' && event.data.code === 122) expectSame([outcome?.as, lastDecline], ['not-asked', undefined]);
      if (event.type === 'OrderFiltered') expectSame(log[index - 1]?.type, 'OrderScreened');
      continue;
    }
    if (isEventOf(event, 'follow-up', 'report')) throw new Error('nothing was requested or reported after the end');
    const { attemptKey } = event.data;
    if (event.type === 'LateResultConflict') {
      expect(event.data).toMatchObject({ attemptKey: outcome?.key, believed: outcome?.as });
      expect(event.data.told).not.toBe(event.data.believed);
      expect(told).not.toContain(`${attemptKey} ${event.data.told}`);
      told.add(`${attemptKey} ${event.data.told}`);
      isMoneyMoved ||= event.data.told === 'approved';
      continue;
    }
    expect(end).toBeUndefined();
    switch (event.type) {
      case 'AttemptStarted':
        expectSame([open, isDue, isMoneyMoved], [undefined, true, false]);
        expect(outcome?.as).not.toBe('approved');
        expect(taken).not.toContain(attemptKey);
        expectSame(event.data.number, ++startedCount);
        expectSame(event.data.gate, order.plan.gates[place.gateIndex]?.alias);
        expectSame(event.data.amount, amountsOf(order)[place.amountNumber - 1]);
        if (startedCount === 1 && order.plan.screening !== undefined) expectSame(log[index - 1]?.type, 'OrderScreened');
        taken.add(attemptKey);
        open = attemptKey;
        isHosted = false;
        outcome = undefined;
        isDue = false;
        break;
      case 'AttemptApproved':
        resolve(attemptKey, 'approved');
        break;
      case 'AttemptDeclined': {
        resolve(attemptKey, 'declined');
        const { code, by } = event.data;
        // A gate that hosts the authentication may still charge a payer whom we consider absent.
        if (by === 'payer-absent') expectSame(isHosted, false);
        lastDecline = { code, amountNumber: place.amountNumber };
        next = placeAfter(order, place, { as: 'declined', code, by }, true);
        break;
      }
      case 'AttemptNotAsked':
        resolve(attemptKey, 'not-asked');
        next = placeAfter(order, place, { as: 'not-asked', cause: event.data.cause }, lastDecline?.amountNumber === place.amountNumber);
        break;
      case 'AttemptSettled':
        resolve(attemptKey, event.data.as);
        if (event.data.as === 'declined') lastDecline = { code: 100, amountNumber: place.amountNumber };
        next = undefined;
        break;
      case 'PayerChallenged':
        expectSame(attemptKey, open);
        isHosted = event.data.isHosted === true;
        break;
      case 'PayerReturned':
        expectSame(isHosted, false);
        expectSame(attemptKey, open);
        break;
      case 'AttemptTaken':
      case 'AttemptUnknown':
        expectSame(attemptKey, open);
        break;
      case 'OutcomeReconciled':
        throw new Error('nothing was reconciled');
    }
    // The append that refuses an attempt also has the next attempt, if the plan has one, or the end.
    if (outcome === undefined) continue;
    const follows = log[index + 1]?.type;
    if (outcome.as === 'approved') expectSame(follows, 'OrderApproved');
    else if (next !== undefined) expectSame(follows, 'NextAttemptChosen');
    else expect(['OrderDeclined', 'OrderFailed']).toContain(follows);
  }
};

const gates = (count: number) => GATES.slice(0, count).map((alias) => sampleGate({ alias: alias as GateAlias })) as never;
/** An amount that is listed twice is tried twice. */
const AMOUNTS = [usd(1_042n), usd(500n), usd(500n)] as const;
const orders: readonly AcceptedOrder[] = [
  { gates: gates(1) },
  { gates: gates(1), cvvHolder: BOOT_ID },
  { gates: gates(3) },
  { gates: gates(2), cvvHolder: BOOT_ID },
  { gates: gates(1), amounts: AMOUNTS },
  { gates: gates(2), amounts: AMOUNTS },
  { gates: gates(2), amounts: AMOUNTS, screening: RULES_VERSION },
  { gates: gates(2), screening: RULES_VERSION, cvvHolder: BOOT_ID },
].map((plan) => sampleOrder({ plan: samplePlan(plan) }));

interface Lived {
  readonly log: readonly ProcessingEvent[];
  readonly state: Processing;
}

const live = (
  order: AcceptedOrder,
  lived: readonly Step[],
  look: (decision: NonEmpty<ProcessingEvent> | ProcessingRejection, before: Lived, step: Step) => void,
): Lived => {
  const decider: Decider<ProcessingCommand, ProcessingEvent, Processing, ProcessingRejection> = {
    initial: processingOf(order),
    evolve: evolveProcessing,
    decide: decideProcessing,
  };
  const { given } = deciderSpec(decider);
  let log: readonly ProcessingEvent[] = [];
  let now = order.acceptedAt;
  for (const [index, step] of lived.entries()) {
    now = (now + step.elapsedMs) as Instant;
    const { state, when } = given(...log);
    const newest = state.attempts.status === 'none' ? ('none-yet' as AttemptKey) : state.attempts.key;
    const command = commandOf(step, state, { now, newest, fresh: `attempt-${index}` as AttemptKey });
    const { decision } = when(command);
    expectSame(when(command).decision, decision);
    look(decision, { log, state }, step);
    if (!isRejection(decision)) log = [...log, ...decision];
  }
  return { log, state: given(...log).state };
};

const anOrder = fc.constantFrom(...orders);
const nothing = (): void => undefined;

describe('an order under random commands', () => {
  it("keeps the plan's sequence, one open attempt, one end and every outcome", () => {
    fc.assert(
      fc.property(anOrder, steps, (order, lived) => checkLog(order, live(order, lived, nothing).log)),
      { numRuns: RUNS },
    );
  });

  it('has at most one approved attempt and is approved if it has one', () => {
    fc.assert(
      fc.property(anOrder, steps, (order, lived) => {
        const { log, state } = live(order, lived, nothing);
        const approvals = log.filter(
          (event) => event.type === 'AttemptApproved' || (event.type === 'AttemptSettled' && event.data.as === 'approved'),
        );
        expectSame(approvals.length, log.filter(({ type }) => type === 'OrderApproved').length);
        expect(approvals.length).toBeLessThanOrEqual(1);
        expectSame(state.end, log.find(isEnd));
      }),
      { numRuns: RUNS },
    );
  });

  it('decides the next step with each outcome and always has one until its end', () => {
    fc.assert(
      fc.property(anOrder, steps, (order, lived) => {
        const { log, state } = live(order, lived, nothing);
        expect(conclusionOf(state, RECEIPT_ID, ACCEPTED_AT)).toBeUndefined();
        expect(nextAttemptOf(state, ACCEPTED_AT)).toBeUndefined();
        expectSame(nextStep(state, ACCEPTED_AT).task === 'nothing', state.end !== undefined);
        const places = order.plan.gates.length * amountsOf(order).length;
        expect(log.filter(({ type }) => type === 'AttemptStarted').length).toBeLessThanOrEqual(places);
      }),
      { numRuns: RUNS },
    );
  });

  it('adds only late conflicts after its end', () => {
    fc.assert(
      fc.property(anOrder, steps, (order, lived) => {
        live(order, lived, (decision, { state }, { doing }) => {
          if (state.end === undefined) return;
          if (doing !== 'answer') expectSame(decision, { reason: 'order-final' });
          else if (isRejection(decision)) expectSame(decision, { reason: 'nothing-new' });
          else
            expectSame(
              decision.map(({ type }) => type),
              ['LateResultConflict'],
            );
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('starts no attempt while another is open, and none that the plan does not allow', () => {
    fc.assert(
      fc.property(anOrder, steps, (order, lived) => {
        live(order, lived, (decision, { state }, { doing }) => {
          const isOpen = ['started', 'unknown', 'payer-needed', 'payer-returned'].includes(state.attempts.status);
          const isStart = doing === 'start' || doing === 'start-elsewhere';
          if (isStart && isOpen) expectSame(decision, { reason: 'attempt-open' });
          else if (doing === 'start-elsewhere' && state.end === undefined) expectSame(decision, { reason: 'not-its-turn' });
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('reaches every event, every state and every step of a plan', () => {
    const seen = new Set<string>();
    for (const lived of fc.sample(steps, { numRuns: SAMPLES, seed: 1 })) {
      for (const order of orders) {
        const { log } = live(order, lived, (_, { state }) => seen.add(state.attempts.status));
        for (const { type } of log) seen.add(type);
        for (const event of log) if (event.type === 'NextAttemptChosen') seen.add(`${event.data.gate} ${event.data.amountNumber}`);
      }
    }
    expect([...seen].sort()).toStrictEqual(
      [
        ...['none', 'started', 'unknown', 'payer-needed', 'payer-returned', 'approved', 'declined', 'not-asked'],
        ...['AttemptStarted', 'AttemptApproved', 'AttemptDeclined', 'AttemptUnknown', 'AttemptNotAsked', 'AttemptSettled'],
        ...['AttemptTaken', 'PayerChallenged', 'PayerReturned', 'LateResultConflict', 'NextAttemptChosen', 'OrderScreened'],
        ...['OrderApproved', 'OrderDeclined', 'OrderFailed', 'OrderFiltered'],
        ...['sim-b 1', 'sim-c 1', 'sim-a 2', 'sim-b 2', 'sim-a 3', 'sim-b 3'],
      ].sort(),
    );
  });
});
