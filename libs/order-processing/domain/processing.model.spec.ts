import { isRejection, type AttemptKey, type Decider, type GateAlias, type Instant, type NonEmpty } from '@app/kernel';
import {
  ACCEPTED_AT,
  BOOT_ID,
  deciderSpec,
  gateAnswers,
  processingCommands,
  RECEIPT_ID,
  sampleGate,
  sampleOrder,
  samplePlan,
} from '@app/testing';
import fc from 'fast-check';
import type { AcceptedOrder } from './accepted-order';
import { attempts, type GateAnswer } from './attempts';
import type { FinalEvent } from './final.events';
import { isFollowUpEvent } from './follow-up.events';
import { isFollowUpCommand } from './follow-ups';
import {
  conclusionOf,
  decideProcessing,
  evolveProcessing,
  processingOf,
  type Processing,
  type ProcessingCommand,
  type ProcessingEvent,
  type ProcessingRejection,
} from './processing';

const RUNS = 300;
const STEPS_MAX = 30;
const GATES = ['sim-a', 'sim-b'] as const;

/** One thing that happens to an order; which attempt it is meant for is found when its turn comes. */
interface Step {
  readonly doing: 'start' | 'answer' | 'payer-return' | 'absent-payer' | 'interrupt';
  readonly answer: GateAnswer;
  readonly isForNewest: boolean;
  readonly gate: (typeof GATES)[number];
  readonly elapsedMs: number;
  readonly isHolderGone: boolean;
  /** The context keeps the end for later, as in a cascade: the step goes to the attempts alone. */
  readonly isEndHeldBack: boolean;
}

const answer: fc.Arbitrary<GateAnswer> = fc.constantFrom(
  gateAnswers.approved(),
  gateAnswers.declined(),
  gateAnswers.unknown(),
  gateAnswers.notAsked(),
  gateAnswers.notAsked({ cause: 'never-heard-of' }),
  gateAnswers.payerNeeded({ payerDueAt: (ACCEPTED_AT + 900_000) as Instant }),
);

const stepsWith = (isEndHeldBack: fc.Arbitrary<boolean>): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      // Starts and answers weigh more: without them an order goes nowhere.
      doing: fc.constantFrom('start', 'start', 'answer', 'answer', 'answer', 'answer', 'payer-return', 'absent-payer', 'interrupt'),
      answer,
      isForNewest: fc.integer({ min: 0, max: 9 }).map((die) => die > 0),
      gate: fc.constantFrom(...GATES),
      elapsedMs: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 600_000 })),
      isHolderGone: fc.boolean(),
      isEndHeldBack,
    }),
    { maxLength: STEPS_MAX, size: 'max' },
  );

const commandOf = (step: Step, at: { now: Instant; newest: AttemptKey; fresh: AttemptKey }): ProcessingCommand => {
  const { now } = at;
  const key = step.isForNewest ? at.newest : ('a-stranger' as AttemptKey);
  switch (step.doing) {
    case 'start':
      return processingCommands.start({ key: at.fresh, gate: step.gate as GateAlias, now });
    case 'answer':
      return processingCommands.record(step.answer, { key, now });
    case 'payer-return':
      return processingCommands.recordPayerReturn({ key, now });
    case 'absent-payer':
      return processingCommands.declineAbsentPayer({ key, now });
    case 'interrupt':
      return processingCommands.interrupt({ isHolderGone: step.isHolderGone, now });
  }
};

const isEnd = (event: ProcessingEvent): event is FinalEvent => event.type.startsWith('Order');

/** The invariants of one order's log, read from the log alone and not through the decider's state. */
const checkLog = (log: readonly ProcessingEvent[]): void => {
  let open: AttemptKey | undefined;
  let settled: { readonly key: AttemptKey; readonly as: 'approved' | 'declined' | 'not-asked' } | undefined;
  let end: FinalEvent | undefined;
  let startedCount = 0;
  const taken = new Set<string>();
  const told = new Set<string>();
  for (const event of log) {
    if (isEnd(event)) {
      expect(end).toBeUndefined();
      expect(open).toBeUndefined();
      end = event;
      if (event.type === 'OrderApproved') expect(settled).toStrictEqual({ key: event.data.attemptKey, as: 'approved' });
      if (event.type === 'OrderDeclined') expect(settled?.as).toBe('declined');
      if (event.type === 'OrderFailed') expect([undefined, 'not-asked']).toContain(settled?.as);
      continue;
    }
    if (isFollowUpEvent(event)) throw new Error('nobody asked for a follow-up');
    const { attemptKey } = event.data;
    if (event.type === 'LateResultConflict') {
      expect(event.data).toMatchObject({ attemptKey: settled?.key, believed: settled?.as });
      expect(event.data.told).not.toBe(event.data.believed);
      expect(told).not.toContain(`${attemptKey} ${event.data.told}`);
      told.add(`${attemptKey} ${event.data.told}`);
      continue;
    }
    expect(end).toBeUndefined();
    if (event.type === 'AttemptStarted') {
      expect(open).toBeUndefined();
      expect(settled?.as).not.toBe('approved');
      expect([...told].filter((word) => word.endsWith(' approved'))).toStrictEqual([]);
      expect(taken).not.toContain(attemptKey);
      expect(event.data.number).toBe(++startedCount);
      taken.add(attemptKey);
      open = attemptKey;
      settled = undefined;
      continue;
    }
    expect(attemptKey).toBe(open);
    const word = { AttemptApproved: 'approved', AttemptDeclined: 'declined', AttemptNotAsked: 'not-asked' } as const;
    if (event.type !== 'AttemptApproved' && event.type !== 'AttemptDeclined' && event.type !== 'AttemptNotAsked') continue;
    settled = { key: attemptKey, as: word[event.type] };
    open = undefined;
  }
};

const orders: readonly AcceptedOrder[] = [{}, { cvvHolder: BOOT_ID }].map((more) =>
  sampleOrder({ plan: samplePlan({ gates: GATES.map((alias) => sampleGate({ alias: alias as GateAlias })) as never, ...more }) }),
);

interface Lived {
  readonly log: readonly ProcessingEvent[];
  readonly state: Processing;
}

/** Lives through the steps; frozen inputs, and each decision taken twice. `look` sees every decision with the log before it. */
const live = (
  order: AcceptedOrder,
  steps: readonly Step[],
  look: (decision: NonEmpty<ProcessingEvent> | ProcessingRejection, before: Lived, step: Step) => void,
): Lived => {
  let isEndHeldBack = false;
  const decider: Decider<ProcessingCommand, ProcessingEvent, Processing, ProcessingRejection> = {
    initial: processingOf(order),
    evolve: evolveProcessing,
    decide: (command, state) =>
      isEndHeldBack && state.end === undefined && command.type !== 'InterruptOrder' && !isFollowUpCommand(command)
        ? attempts.decide(command, state.attempts)
        : decideProcessing(command, state),
  };
  const { given } = deciderSpec(decider);
  let log: readonly ProcessingEvent[] = [];
  let now = order.acceptedAt;
  for (const [index, step] of steps.entries()) {
    ({ isEndHeldBack } = step);
    now = (now + step.elapsedMs) as Instant;
    const { state, when } = given(...log);
    const newest = state.attempts.status === 'none' ? ('none-yet' as AttemptKey) : state.attempts.key;
    const command = commandOf(step, { now, newest, fresh: `attempt-${index}` as AttemptKey });
    const { decision } = when(command);
    expect(when(command).decision).toStrictEqual(decision);
    look(decision, { log, state }, step);
    if (!isRejection(decision)) log = [...log, ...decision];
  }
  return { log, state: given(...log).state };
};

const anOrder = fc.constantFrom(...orders);

describe('whatever happens to an order', () => {
  it('its log keeps the invariants: one end, no attempt on a maybe, no flip; and the log can be folded', () => {
    fc.assert(
      fc.property(anOrder, stepsWith(fc.boolean()), (order, steps) => {
        checkLog(live(order, steps, () => undefined).log);
      }),
      { numRuns: RUNS },
    );
  });

  it('it ends with the outcome of its attempt, approved only if an attempt is approved', () => {
    fc.assert(
      fc.property(anOrder, stepsWith(fc.constant(false)), (order, steps) => {
        const { log, state } = live(order, steps, () => undefined);
        const types = new Set(log.map(({ type }) => type));
        expect(types.has('OrderApproved')).toBe(types.has('AttemptApproved'));
        expect(types.has('OrderDeclined')).toBe(types.has('AttemptDeclined'));
        expect(log.filter(({ type }) => type === 'AttemptStarted').length).toBeLessThanOrEqual(1);
        expect(state.end).toStrictEqual(log.find(isEnd));
        expect(conclusionOf(state, RECEIPT_ID, ACCEPTED_AT)).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });

  it('after its end nothing is added but a late contradiction', () => {
    fc.assert(
      fc.property(anOrder, stepsWith(fc.boolean()), (order, steps) => {
        live(order, steps, (decision, { state }, { doing }) => {
          if (state.end === undefined) return;
          if (doing !== 'answer') expect(decision).toStrictEqual({ reason: 'order-final' });
          else if (isRejection(decision)) expect(decision).toStrictEqual({ reason: 'nothing-new' });
          else expect(decision.map(({ type }) => type)).toStrictEqual(['LateResultConflict']);
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('while an attempt is unsettled no other starts', () => {
    fc.assert(
      fc.property(anOrder, stepsWith(fc.boolean()), (order, steps) => {
        live(order, steps, (decision, { state }, { doing }) => {
          const isOpen = ['started', 'unknown', 'payer-needed', 'payer-returned'].includes(state.attempts.status);
          if (doing === 'start' && isOpen) expect(decision).toStrictEqual({ reason: 'attempt-open' });
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('the random lives reach every event and every state', () => {
    const seen = new Set<string>();
    for (const steps of fc.sample(stepsWith(fc.boolean()), { numRuns: RUNS, seed: 1 })) {
      for (const order of orders) {
        const { log } = live(order, steps, (_, { state }) => seen.add(state.attempts.status));
        for (const { type } of log) seen.add(type);
      }
    }
    expect([...seen].sort()).toStrictEqual(
      [
        ...['none', 'started', 'unknown', 'payer-needed', 'payer-returned', 'approved', 'declined', 'not-asked'],
        ...['AttemptStarted', 'AttemptApproved', 'AttemptDeclined', 'AttemptUnknown', 'AttemptNotAsked'],
        ...['PayerChallenged', 'PayerReturned', 'LateResultConflict', 'OrderApproved', 'OrderDeclined', 'OrderFailed'],
      ].sort(),
    );
  });
});
