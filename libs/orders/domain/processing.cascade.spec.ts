import type { AttemptKey, Decider, GateAlias } from '@app/kernel';
import {
  afterAcceptance,
  ANSWERED_AT,
  attemptEvents,
  BOOT_ID,
  deciderSpec,
  finalEvents,
  gateAnswers,
  OTHER_KEY,
  processingCommands,
  RECEIPT_ID,
  routingEvents,
  sampleGate,
  sampleOrder,
  samplePlan,
  usd,
} from '@app/testing';
import type { Plan } from './accepted-order';
import { nextStep } from './next-step';
import {
  conclusionOf,
  decideProcessing,
  evolveProcessing,
  mayGoOn,
  nextAttemptOf,
  processingOf,
  type Processing,
  type ProcessingCommand,
  type ProcessingEvent,
  type ProcessingRejection,
} from './processing';

const orderWith = (plan: Partial<Plan>) =>
  deciderSpec<ProcessingCommand, ProcessingEvent, Processing, ProcessingRejection>({
    initial: processingOf(sampleOrder({ plan: samplePlan(plan) })),
    evolve: evolveProcessing,
    decide: decideProcessing,
  } satisfies Decider<ProcessingCommand, ProcessingEvent, Processing, ProcessingRejection>).given;

const SIM_B = 'sim-b' as GateAlias;
const GATES = [sampleGate(), sampleGate({ alias: SIM_B })] as const;
const AMOUNTS = [usd(1_042n), usd(500n)] as const;
const { start, record, interrupt } = processingCommands;
const { started, declined, approved, notAsked, unknown, conflict } = attemptEvents;
const { nextChosen } = routingEvents;

const second = { attemptKey: OTHER_KEY, number: 2, gate: SIM_B } as const;
const honoured = declined({ code: 100 });
const toGateB = nextChosen();
const toSecondAmount = nextChosen({ gate: 'sim-a' as GateAlias, amountNumber: 2, amount: usd(500n) });
const recordSecond = (answer: Parameters<typeof record>[0]) => record(answer, { key: OTHER_KEY });

describe('a cascade (protocol decisions, section 7)', () => {
  const given = orderWith({ gates: GATES });

  it('continues at the next gate after decline 100 [W358]', () => {
    given(started())
      .when(record(gateAnswers.declined({ code: 100 })))
      .then(honoured, toGateB);
    given(started(), honoured, toGateB)
      .when(record(gateAnswers.declined({ code: 100 })))
      .thenRejected({ reason: 'nothing-new' });
  });

  it.each(['unavailable', 'refused-by-gate'] as const)('continues at the next gate if a gate could not be asked: %s', (cause) => {
    given(started())
      .when(record(gateAnswers.notAsked({ cause })))
      .then(notAsked({ cause }), toGateB);
  });

  it.each([101, 110, 116, 119, 209, 4711])("ends with any other decline, which is the issuer's decision (%s)", (code) => {
    given(started())
      .when(record(gateAnswers.declined({ code })))
      .then(declined({ code }), finalEvents.declined({ code, declinedAt: ANSWERED_AT }));
  });

  it('fails with 121 if a gate never received its attempt', () => {
    given(started(), unknown())
      .when(record(gateAnswers.notAsked({ cause: 'never-heard-of' })))
      .then(notAsked({ cause: 'never-heard-of' }), finalEvents.failed({ code: 121, failedAt: ANSWERED_AT }));
  });

  it('ends with the decline of its last gate', () => {
    given(started(), honoured, toGateB, started(second))
      .when(recordSecond(gateAnswers.declined({ code: 100 })))
      .then(declined({ code: 100, attemptKey: OTHER_KEY }), finalEvents.declined({ code: 100, declinedAt: ANSWERED_AT }));
  });

  it('ends with the earlier decline if the last gate could not be asked', () => {
    given(started(), honoured, toGateB, started(second))
      .when(recordSecond(gateAnswers.notAsked()))
      .then(notAsked({ attemptKey: OTHER_KEY }), finalEvents.declined({ code: 100, declinedAt: ANSWERED_AT }));
  });

  it('fails with 122 if no gate could be asked', () => {
    given(started(), notAsked(), toGateB, started(second))
      .when(recordSecond(gateAnswers.notAsked()))
      .then(notAsked({ attemptKey: OTHER_KEY }), finalEvents.failed({ code: 122, failedAt: ANSWERED_AT }));
  });

  it('waits for an unknown outcome and continues after decline 100', () => {
    given(started()).when(record(gateAnswers.unknown())).then(unknown());
    given(started(), unknown())
      .when(start({ gate: SIM_B, key: OTHER_KEY }))
      .thenRejected({ reason: 'attempt-open' });
    given(started(), unknown())
      .when(record(gateAnswers.declined({ code: 100 })))
      .then(honoured, toGateB);
  });

  it('is approved by any of its gates', () => {
    given(started(), honoured, toGateB, started(second))
      .when(recordSecond(gateAnswers.approved()))
      .then(approved({ attemptKey: OTHER_KEY }), finalEvents.approved({ attemptKey: OTHER_KEY, approvedAt: ANSWERED_AT }));
  });

  it('starts an attempt only at the next gate and for the amount of the plan', () => {
    const next = start({ gate: SIM_B, key: OTHER_KEY, now: afterAcceptance(300) });
    given(started(), honoured, toGateB)
      .when(next)
      .then(started({ ...second, startedAt: afterAcceptance(300) }));
    given(started(), honoured, toGateB)
      .when(start({ key: OTHER_KEY }))
      .thenRejected({ reason: 'not-its-turn' });
    given()
      .when(start({ gate: SIM_B }))
      .thenRejected({ reason: 'not-its-turn' });
    given()
      .when(start({ amount: usd(1_041n) }))
      .thenRejected({ reason: 'not-its-turn' });
  });

  it('stops if a gate revokes its decline, and the order keeps that decline', () => {
    given(started(), honoured, toGateB)
      .when(record(gateAnswers.approved()))
      .then(conflict(), finalEvents.declined({ code: 100, declinedAt: ANSWERED_AT }));
    given(started(), notAsked(), toGateB)
      .when(record(gateAnswers.approved()))
      .then(conflict({ believed: 'not-asked' }), finalEvents.failed({ code: 122, failedAt: ANSWERED_AT }));
  });
});

describe('a gate that revokes its decline after the next gate was asked (safety, I4)', () => {
  const given = orderWith({ gates: [...GATES, sampleGate({ alias: 'sim-c' as GateAlias })] });
  const atGateB = [started(), honoured, toGateB, started(second)] as const;

  it('is recorded once under the attempt of the revoking answer', () => {
    given(...atGateB)
      .when(record(gateAnswers.approved()))
      .then(conflict());
    given(...atGateB, conflict())
      .when(record(gateAnswers.approved()))
      .thenRejected({ reason: 'nothing-new' });
    given(...atGateB)
      .when(record(gateAnswers.declined()))
      .thenRejected({ reason: 'nothing-new' });
    given(...atGateB)
      .when(record(gateAnswers.approved(), { key: 'unheard-of' as AttemptKey }))
      .thenRejected({ reason: 'nothing-new' });
  });

  it('prevents further attempts, since money moved', () => {
    given(...atGateB, conflict())
      .when(recordSecond(gateAnswers.declined({ code: 100 })))
      .then(declined({ code: 100, attemptKey: OTHER_KEY }), finalEvents.declined({ code: 100, declinedAt: ANSWERED_AT }));
    const toGateC = nextChosen({ gate: 'sim-c' as GateAlias });
    given(...atGateB, declined({ code: 100, attemptKey: OTHER_KEY }), toGateC)
      .when(record(gateAnswers.approved()))
      .then(conflict(), finalEvents.declined({ code: 100, declinedAt: ANSWERED_AT }));
  });

  it('does not change the outcome of the open attempt and is recorded even after the end', () => {
    const approvedAtB = approved({ attemptKey: OTHER_KEY });
    const end = finalEvents.approved({ attemptKey: OTHER_KEY, approvedAt: ANSWERED_AT });
    given(...atGateB, conflict())
      .when(recordSecond(gateAnswers.approved()))
      .then(approvedAtB, end);
    given(...atGateB, approvedAtB, end)
      .when(record(gateAnswers.approved()))
      .then(conflict());
  });
});

describe('enumerate_amounts (protocol decisions, section 7)', () => {
  const given = orderWith({ amounts: AMOUNTS });

  it('continues with the next amount after any decline [W356]', () => {
    given(started()).when(record(gateAnswers.declined())).then(declined(), toSecondAmount);
    given(started())
      .when(record(gateAnswers.declined({ code: 100 })))
      .then(honoured, toSecondAmount);
  });

  it('ends with the first approved amount [W19]', () => {
    const secondAmount = started({ attemptKey: OTHER_KEY, number: 2, amount: usd(500n) });
    given(started(), declined(), toSecondAmount, secondAmount)
      .when(recordSecond(gateAnswers.approved()))
      .then(
        approved({ attemptKey: OTHER_KEY }),
        finalEvents.approved({ attemptKey: OTHER_KEY, amount: usd(500n), approvedAt: ANSWERED_AT }),
      );
  });

  it('ends with the last decline after the last amount [W19]', () => {
    given(started(), declined(), toSecondAmount, started({ attemptKey: OTHER_KEY, number: 2, amount: usd(500n) }))
      .when(recordSecond(gateAnswers.declined({ code: 119 })))
      .then(declined({ attemptKey: OTHER_KEY, code: 119 }), finalEvents.declined({ code: 119, declinedAt: ANSWERED_AT }));
  });

  it('fails with 122 and tries no further amount if no gate declined the amount', () => {
    given(started())
      .when(record(gateAnswers.notAsked()))
      .then(notAsked(), finalEvents.failed({ code: 122, failedAt: ANSWERED_AT }));
  });

  it('tries the listed amounts instead of the requested one [W354]', () => {
    const listed = orderWith({ amounts: [usd(7n)] });
    listed().when(start()).thenRejected({ reason: 'not-its-turn' });
    listed()
      .when(start({ amount: usd(7n) }))
      .then(started({ amount: usd(7n) }));
  });
});

describe('several amounts in a cascade', () => {
  const given = orderWith({ gates: GATES, amounts: AMOUNTS });

  it('try every gate with an amount before the next amount [W357]', () => {
    given(started())
      .when(record(gateAnswers.declined({ code: 100 })))
      .then(honoured, toGateB);
    given(started(), honoured, toGateB, started(second))
      .when(recordSecond(gateAnswers.declined({ code: 100 })))
      .then(declined({ code: 100, attemptKey: OTHER_KEY }), toSecondAmount);
  });

  it('continue with the next amount after an issuer’s decline', () => {
    given(started())
      .when(record(gateAnswers.declined({ code: 116 })))
      .then(declined(), toSecondAmount);
  });

  it('continue with the next amount if one gate declined and the last could not be asked', () => {
    given(started(), honoured, toGateB, started(second))
      .when(recordSecond(gateAnswers.notAsked()))
      .then(notAsked({ attemptKey: OTHER_KEY }), toSecondAmount);
  });
});

describe('an order whose CVV is lost between two attempts (architecture, rule 5)', () => {
  const given = orderWith({ gates: GATES, cvvHolder: BOOT_ID });
  const dueAt = afterAcceptance(200 + 60_000);

  it('ends with the last decline 60 s after the next attempt was due, or immediately if the holder is gone', () => {
    given(started(), honoured, toGateB)
      .when(interrupt({ now: dueAt }))
      .then(finalEvents.declined({ code: 100, declinedAt: dueAt }));
    given(started(), honoured, toGateB)
      .when(interrupt({ now: ANSWERED_AT, isHolderGone: true }))
      .then(finalEvents.declined({ code: 100, declinedAt: ANSWERED_AT }));
    given(started(), honoured, toGateB)
      .when(interrupt({ now: afterAcceptance(200 + 59_999) }))
      .thenRejected({ reason: 'submit-not-overdue' });
  });

  it('fails with 121 if no gate has answered yet', () => {
    given(started(), notAsked(), toGateB)
      .when(interrupt({ now: dueAt }))
      .then(finalEvents.failed({ code: 121, failedAt: dueAt }));
  });
});

describe('a conclusion that the context decides later', () => {
  const given = orderWith({ gates: GATES });

  it.each([
    ['a decline 100', honoured],
    ['a gate that could not be asked', notAsked()],
  ])('is undefined after %s if another gate is left', (_, refusal) => {
    const { state } = given(started(), refusal);
    expect(conclusionOf(state, RECEIPT_ID, ANSWERED_AT)).toBeUndefined();
    expect(nextAttemptOf(state, ANSWERED_AT)).toStrictEqual(toGateB);
  });

  it('schedules no step until then', () => {
    expect(nextStep({ ...given().state, due: undefined }, ANSWERED_AT)).toStrictEqual({ task: 'nothing' });
  });
});

describe('mayGoOn', () => {
  const given = orderWith({ gates: GATES });

  it('returns true if a later step of the plan is left or an attempt is due', () => {
    expect(mayGoOn(given().state)).toBe(true);
    expect(mayGoOn(given(started()).state)).toBe(true);
    expect(mayGoOn(given(started(), honoured, toGateB).state)).toBe(true);
  });

  it('returns false at the last step and after the end', () => {
    expect(mayGoOn(given(started(), honoured, toGateB, started(second)).state)).toBe(false);
    expect(mayGoOn(given(started(), declined(), finalEvents.declined()).state)).toBe(false);
    const amounts = orderWith({ amounts: AMOUNTS });
    expect(mayGoOn(amounts(started()).state)).toBe(true);
    expect(mayGoOn(amounts(started(), declined(), toSecondAmount, started({ ...second, gate: GATES[0].alias })).state)).toBe(false);
  });
});

describe('a history that contradicts the plan', () => {
  it('throws for an attempt that was not due and for an amount that is not in the plan', () => {
    const given = orderWith({ gates: GATES });
    expect(() => given(started(), honoured, started(second))).toThrow('AttemptStarted where none was due');
    expect(() => given(started(), honoured, nextChosen({ amountNumber: 2 })).when(start({ gate: SIM_B })).decision).toThrow(
      'the plan has no amount 2',
    );
  });

  it('has no further step after a gate that is not in the plan', () => {
    const given = orderWith({ gates: GATES });
    const unplanned = nextChosen({ gate: 'sim-z' as GateAlias });
    const state = given(started(), honoured, unplanned, started({ ...second, gate: 'sim-z' as GateAlias })).state;
    expect(mayGoOn(state)).toBe(false);
  });
});
