import { type Decider, type GateAlias, addMs } from '@app/kernel';
import {
  afterAcceptance,
  ANSWERED_AT,
  attemptEvents,
  deciderSpec,
  finalEvents,
  gateAnswers,
  PAYER_DUE_AT,
  PAYER_RETURNED_AT,
  processingCommands,
  sampleOrder,
  samplePlan,
  STARTED_AT,
  usd,
  ATTEMPT_HISTORIES,
  BOOT_ID,
  OTHER_KEY,
  RECEIPT_ID,
  routingEvents,
  RULES_VERSION,
  sampleGate,
  ACCEPTED_AT,
  SETTLED_AT,
  ATTEMPT_KEY,
} from '@app/testing';
import {
  decideProcessing,
  evolveProcessing,
  processingOf,
  type Processing,
  type ProcessingCommand,
  type ProcessingEvent,
  type ProcessingRejection,
  conclusionOf,
} from './processing';
import type { Attempts } from './attempts.state';
import { attempts } from './attempts';
import { nextStep } from './next-step';

const processing: Decider<ProcessingCommand, ProcessingEvent, Processing, ProcessingRejection> = {
  initial: processingOf(sampleOrder({ plan: samplePlan({ callbacks: ['callback', 'notify'] }) })),
  evolve: evolveProcessing,
  decide: decideProcessing,
};
const { given } = deciderSpec(processing);
const { start, record, recordPayerReturn, declineAbsentPayer, interrupt } = processingCommands;
const { started, approved, declined, declinedForAbsence, unknown, notAsked, challenged, payerReturned } = attemptEvents;
const callbacks = ['callback', 'notify'] as const;

describe('the end of an order is in the append of the outcome that causes it', () => {
  it('approved with the amount that was charged and the receipt, after an approval', () => {
    const amount = usd(77n);
    given(started({ amount }))
      .when({ ...record(gateAnswers.approved()), receiptId: 'another-receipt-id' })
      .then(approved(), finalEvents.approved({ amount, receiptId: 'another-receipt-id', callbacks, approvedAt: ANSWERED_AT }));
  });

  it("declined with the issuer's reason, after a decline", () => {
    given(started())
      .when(record(gateAnswers.declined({ code: 209 })))
      .then(declined({ code: 209 }), finalEvents.declined({ code: 209, callbacks, declinedAt: ANSWERED_AT }));
  });

  it('declined 110, for an absent payer', () => {
    given(started(), challenged())
      .when(declineAbsentPayer())
      .then(declinedForAbsence(), finalEvents.declined({ code: 110, callbacks, declinedAt: PAYER_DUE_AT }));
  });

  it.each(['unavailable', 'refused-by-gate'] as const)('in error 122 where the gate could not be asked (%s)', (cause) => {
    given(started())
      .when(record(gateAnswers.notAsked({ cause })))
      .then(notAsked({ cause }), finalEvents.failed({ code: 122, callbacks, failedAt: ANSWERED_AT }));
  });

  it('in error 121 where the gate never received it', () => {
    given(started(), unknown())
      .when(record(gateAnswers.notAsked({ cause: 'never-heard-of' })))
      .then(notAsked({ cause: 'never-heard-of' }), finalEvents.failed({ code: 121, callbacks, failedAt: ANSWERED_AT }));
  });

  it('when the gate answers after an unknown outcome', () => {
    const now = afterAcceptance(86_400_000);
    given(started(), unknown())
      .when(record(gateAnswers.approved(), { now }))
      .then(approved({ answeredAt: now }), finalEvents.approved({ callbacks, approvedAt: now }));
  });
});

describe('an event that gives no outcome does not end the order', () => {
  it("for a start, a silence, a challenge and the payer's return", () => {
    given()
      .when(start())
      .then(started({ startedAt: STARTED_AT }));
    given(started()).when(record(gateAnswers.unknown())).then(unknown());
    given(started()).when(record(gateAnswers.payerNeeded())).then(challenged());
    given(started(), challenged())
      .when(recordPayerReturn())
      .then(payerReturned({ returnedAt: PAYER_RETURNED_AT }));
  });

  it('and a refusal of the attempts stays the same refusal', () => {
    given(started(), unknown()).when(start()).thenRejected({ reason: 'attempt-open' });
    given(started(), unknown()).when(record(gateAnswers.unknown())).thenRejected({ reason: 'nothing-new' });
    given(started(), challenged())
      .when(recordPayerReturn({ now: PAYER_DUE_AT }))
      .thenRejected({ reason: 'payer-too-late' });
    given(started(), challenged())
      .when(declineAbsentPayer({ now: PAYER_RETURNED_AT }))
      .thenRejected({ reason: 'payer-still-has-time' });
    given(started()).when(recordPayerReturn()).thenRejected({ reason: 'payer-not-awaited' });
  });
});

describe('an order after its end', () => {
  const processing: Decider<ProcessingCommand, ProcessingEvent, Processing, ProcessingRejection> = {
    initial: processingOf(sampleOrder({ plan: samplePlan({ cvvHolder: BOOT_ID }) })),
    evolve: evolveProcessing,
    decide: decideProcessing,
  };
  const { given } = deciderSpec(processing);
  const { start, record, recordPayerReturn, declineAbsentPayer, interrupt } = processingCommands;
  const { started, approved, declined, notAsked, conflict } = attemptEvents;

  const ends: Readonly<Record<string, readonly ProcessingEvent[]>> = {
    approved: [started(), approved(), finalEvents.approved()],
    declined: [started(), declined(), finalEvents.declined()],
    'failed because no gate could be asked': [started(), notAsked(), finalEvents.failed()],
    interrupted: [finalEvents.failed({ code: 121 })],
    filtered: [finalEvents.filtered()],
  };
  const lateAnswers = { approval: record(gateAnswers.approved()), decline: record(gateAnswers.declined()) };

  describe.each(Object.entries(ends))('an order that was %s', (name, history) => {
    it.each([start({ key: OTHER_KEY }), recordPayerReturn(), declineAbsentPayer(), interrupt({ isHolderGone: true })])(
      'refuses $type as final',
      (command) =>
        given(...history)
          .when(command)
          .thenRejected({ reason: 'order-final' }),
    );

    it.each([gateAnswers.payerNeeded(), gateAnswers.unknown(), gateAnswers.notAsked()])('ignores an answer of $kind', (answer) =>
      given(...history)
        .when(record(answer))
        .thenRejected({ reason: 'nothing-new' }),
    );

    it('does not end again', () => {
      const { state } = given(...history);
      expect(conclusionOf(state, RECEIPT_ID, ANSWERED_AT)).toBeUndefined();
      expect(() => given(...history, finalEvents.declined())).toThrow(`OrderDeclined after ${history.at(-1)?.type}`);
    });
  });

  describe('a late answer after the end', () => {
    it.each([
      { end: 'approved', answer: lateAnswers.decline, fact: conflict({ believed: 'approved', told: 'declined' }) },
      { end: 'declined', answer: lateAnswers.approval, fact: conflict({ believed: 'declined', told: 'approved' }) },
      {
        end: 'failed because no gate could be asked',
        answer: lateAnswers.approval,
        fact: conflict({ believed: 'not-asked', told: 'approved' }),
      },
    ])('is recorded once beside "$end", which stays', ({ end, answer, fact }) => {
      const history = ends[end] ?? [];
      given(...history)
        .when(answer)
        .then(fact);
      given(...history, fact)
        .when(answer)
        .thenRejected({ reason: 'nothing-new' });
      expect(given(...history, fact).state.end).toStrictEqual(history.at(-1));
    });

    it.each([
      { end: 'approved', answer: lateAnswers.approval },
      { end: 'declined', answer: lateAnswers.decline },
      { end: 'failed because no gate could be asked', answer: lateAnswers.decline },
      { end: 'interrupted', answer: lateAnswers.approval },
      { end: 'filtered', answer: lateAnswers.approval },
    ])('is nothing new beside "$end" where it contradicts no attempt', ({ end, answer }) => {
      given(...(ends[end] ?? []))
        .when(answer)
        .thenRejected({ reason: 'nothing-new' });
    });
  });

  describe('the conclusion of the attempts, where a context asks for it later', () => {
    it.each(['none', 'started', 'unknown', 'payer-needed', 'payer-returned'] as const)('is open while the attempt is %s', (status) => {
      expect(conclusionOf(given(...ATTEMPT_HISTORIES[status]).state, RECEIPT_ID, ANSWERED_AT)).toBeUndefined();
    });

    it.each([
      { status: 'approved' as const, end: finalEvents.approved({ approvedAt: ANSWERED_AT }) },
      { status: 'declined' as const, end: finalEvents.declined({ declinedAt: ANSWERED_AT }) },
      { status: 'not-asked' as const, end: finalEvents.failed({ failedAt: ANSWERED_AT }) },
    ])('follows from an attempt that is $status', ({ status, end }) => {
      expect(conclusionOf(given(...ATTEMPT_HISTORIES[status]).state, RECEIPT_ID, ANSWERED_AT)).toStrictEqual(end);
    });
  });
});

describe('an order and its screening rules', () => {
  const gates = [sampleGate(), sampleGate({ alias: 'sim-b' as GateAlias })] as const;
  const orderWith = (screening?: string) =>
    deciderSpec({
      initial: processingOf(sampleOrder({ plan: samplePlan({ gates, ...(screening !== undefined && { screening }) }) })),
      evolve: evolveProcessing,
      decide: decideProcessing,
    }).given;
  const { start } = processingCommands;
  const { started, notAsked } = attemptEvents;
  const { screened, nextChosen } = routingEvents;
  const given = orderWith(RULES_VERSION);

  describe('an order at an entry point with screening rules', () => {
    it('starts with the screening result in the same append', () => {
      given()
        .when({ ...start(), screened: screened().data })
        .then(screened(), started());
      given(screened(), started())
        .when({ ...start(), screened: screened().data })
        .thenRejected({ reason: 'attempt-open' });
    });

    it('ends filtered, code 120, without an attempt where a rule was broken', () => {
      const broken = screened({ brokenRule: 'per-card', cardCount: 3 });
      const end = finalEvents.filtered({ filteredAt: STARTED_AT });
      given()
        .when({ ...start(), screened: broken.data })
        .then(broken, end);
      given(broken, end)
        .when({ ...start(), screened: broken.data })
        .thenRejected({ reason: 'order-final' });
    });

    it('does not start unscreened, nor screened by other rules than its plan names', () => {
      given().when(start()).thenRejected({ reason: 'not-screened' });
      given()
        .when({ ...start(), screened: screened({ rulesVersion: 'other' }).data })
        .thenRejected({ reason: 'not-screened' });
    });

    it('is screened once: the next attempt of its plan starts without', () => {
      const next = start({ key: OTHER_KEY, gate: 'sim-b' as GateAlias });
      given(screened(), started(), notAsked(), nextChosen())
        .when(next)
        .then(started({ attemptKey: OTHER_KEY, number: 2, gate: 'sim-b' as GateAlias }));
    });
  });

  it('an order at an entry point without rules is not screened', () => {
    orderWith()().when(start()).then(started());
    orderWith()()
      .when({ ...start(), screened: screened().data })
      .then(started());
  });
});

const ordersWith = (plan: Parameters<typeof samplePlan>[0]) =>
  deciderSpec({ initial: processingOf(sampleOrder({ plan: samplePlan(plan) })), evolve: evolveProcessing, decide: decideProcessing });

const DUE_AT = addMs(ACCEPTED_AT, 60_000);
const withCvv = ordersWith({ cvvHolder: BOOT_ID, callbacks: ['notify'] });
const withoutCvv = ordersWith({});

describe('an order that lost its CVV with its process', () => {
  it.each([
    { when: 'at once, where the holder is known to be gone', now: ACCEPTED_AT, isHolderGone: true },
    { when: '60 s after its submit was due', now: DUE_AT, isHolderGone: false },
    { when: 'later', now: addMs(DUE_AT, 1), isHolderGone: false },
  ])('ends in error 121, with nothing charged: $when', ({ now, isHolderGone }) => {
    const end = finalEvents.failed({ code: 121, callbacks: ['notify'], failedAt: now });
    withCvv.given().when(interrupt({ now, isHolderGone })).then(end);
    withCvv.given(end).when(interrupt({ now, isHolderGone })).thenRejected({ reason: 'order-final' });
  });

  it('is left to a holder that lives until its time is over', () => {
    withCvv
      .given()
      .when(interrupt({ now: addMs(DUE_AT, -1), isHolderGone: false }))
      .thenRejected({ reason: 'submit-not-overdue' });
  });

  it.each([true, false])(
    'is never interrupted where it came without a CVV, because any process submits it (holder gone: %s)',
    (isHolderGone) => {
      withoutCvv
        .given()
        .when(interrupt({ now: addMs(DUE_AT, 3_600_000), isHolderGone }))
        .thenRejected({ reason: 'submit-not-overdue' });
    },
  );

  it.each((Object.keys(ATTEMPT_HISTORIES) as Attempts['status'][]).filter((status) => status !== 'none'))(
    'is not interrupted once its attempt is %s, because the gate is asked instead',
    (status) => {
      withCvv
        .given(...ATTEMPT_HISTORIES[status])
        .when(interrupt({ now: DUE_AT, isHolderGone: true }))
        .thenRejected({ reason: 'nothing-new' });
    },
  );
});

describe('an outcome that a person decides', () => {
  const gates = [sampleGate({ longestFlightMs: 5_000 }), sampleGate({ alias: 'sim-b' as GateAlias })] as const;
  const { given } = deciderSpec({
    initial: processingOf(sampleOrder({ plan: samplePlan({ gates }) })),
    evolve: evolveProcessing,
    decide: decideProcessing,
  });
  const { resolve, record, start } = processingCommands;
  const { started, unknown, settled, conflict, challenged, payerReturned } = attemptEvents;
  const approvedEnd = finalEvents.approved({ approvedAt: SETTLED_AT });
  const declinedEnd = finalEvents.declined({ code: 100, declinedAt: SETTLED_AT });

  describe("a person's decision on an outcome that the gate leaves open", () => {
    it('approves the order with the amount of the attempt', () => {
      given(started(), unknown()).when(resolve()).then(settled(), approvedEnd);
      given(started(), unknown(), settled(), approvedEnd).when(resolve()).thenRejected({ reason: 'order-final' });
    });

    it('declines the order with code 100, and no other gate of the plan is asked', () => {
      given(started(), unknown())
        .when(resolve({ as: 'declined' }))
        .then(settled({ as: 'declined' }), declinedEnd);
      given(started(), unknown(), settled({ as: 'declined' }), declinedEnd)
        .when(start({ key: OTHER_KEY, gate: 'sim-b' as GateAlias }))
        .thenRejected({ reason: 'order-final' });
    });

    it.each([
      ['started', [started()], STARTED_AT],
      ['left by its payer’s second leg', [started(), challenged(), payerReturned()], PAYER_RETURNED_AT],
    ] as const)('is accepted for an attempt that is %s only once its longest flight is over', (_, history, sentAt) => {
      const flightEndsAt = addMs(sentAt, 37_000);
      given(...history)
        .when(resolve({ now: addMs(flightEndsAt, -1) }))
        .thenRejected({ reason: 'flight-not-over' });
      given(...history)
        .when(resolve({ now: flightEndsAt }))
        .then(settled({ settledAt: flightEndsAt }), finalEvents.approved({ approvedAt: flightEndsAt }));
    });

    it.each([
      ['is unknown by an inquiry, or by the time of its call', [started(), unknown()], STARTED_AT],
      ['is unknown in its second leg', [started(), challenged(), payerReturned(), unknown()], PAYER_RETURNED_AT],
    ] as const)('where it %s, only once its longest flight is over: the call may go on', (_, history, sentAt) => {
      const flightEndsAt = addMs(sentAt, 37_000);
      given(...history)
        .when(resolve({ as: 'declined', now: addMs(flightEndsAt, -1) }))
        .thenRejected({ reason: 'flight-not-over' });
      given(...history)
        .when(resolve({ now: flightEndsAt }))
        .then(settled({ settledAt: flightEndsAt }), finalEvents.approved({ approvedAt: flightEndsAt }));
    });

    it('is accepted at once where the call has ended: the gate was asked, and has answered that it does not know', () => {
      given(started(), unknown({ isCallOver: true }))
        .when(resolve({ now: ANSWERED_AT }))
        .then(settled({ settledAt: ANSWERED_AT }), finalEvents.approved({ approvedAt: ANSWERED_AT }));
    });

    it.each(['none', 'payer-needed', 'approved', 'declined', 'not-asked'] as const)(
      'is refused where there is no open outcome: %s',
      (status) => {
        given(...ATTEMPT_HISTORIES[status])
          .when(resolve())
          .thenRejected({ reason: 'nothing-to-resolve' });
      },
    );

    it('is refused for another attempt than the newest', () => {
      given(started(), unknown())
        .when(resolve({ key: OTHER_KEY }))
        .thenRejected({ reason: 'nothing-to-resolve' });
    });
  });

  describe('a later answer of the gate', () => {
    it.each([
      { as: 'approved', end: approvedEnd, answer: gateAnswers.declined(), told: 'declined' },
      { as: 'declined', end: declinedEnd, answer: gateAnswers.approved(), told: 'approved' },
    ] as const)('that contradicts the decision "$as" is recorded once, and changes nothing', ({ as, end, answer, told }) => {
      const fact = conflict({ believed: as, told });
      given(started(), unknown(), settled({ as }), end).when(record(answer)).then(fact);
      given(started(), unknown(), settled({ as }), end, fact).when(record(answer)).thenRejected({ reason: 'nothing-new' });
    });

    it('is nothing new where it agrees', () => {
      given(started(), unknown(), settled(), approvedEnd).when(record(gateAnswers.approved())).thenRejected({ reason: 'nothing-new' });
      given(started(), unknown(), settled({ as: 'declined' }), declinedEnd)
        .when(record(gateAnswers.declined()))
        .thenRejected({ reason: 'nothing-new' });
    });
  });
});

const unheardOf = { type: 'UnheardOf', data: { attemptKey: ATTEMPT_KEY } } as never;
const unheardAnswer = { kind: 'unheard-of' } as never;
const strange = { status: 'unheard-of', key: ATTEMPT_KEY } as unknown as Attempts;
const running = attempts.evolve(attempts.initial, attemptEvents.started());
const order = processingOf(sampleOrder());
const now = afterAcceptance(1);

/** An unknown case can come from a newer program's log or a wrong cast; ignoring it would be a guess about money. */
describe('an unknown case throws', () => {
  it.each([
    ['an event, folded into the attempts', () => attempts.evolve(running, unheardOf)],
    ['an event, folded into the order', () => evolveProcessing(order, unheardOf)],
    ['a command', () => attempts.decide(unheardOf, running)],
    ['an answer', () => attempts.decide(processingCommands.record(unheardAnswer), running)],
    ['a state in which to start', () => attempts.decide(processingCommands.start(), strange)],
    ['a state in which to hear an answer', () => attempts.decide(processingCommands.record(unheardAnswer), strange)],
    ['a state to conclude from', () => conclusionOf({ ...order, attempts: strange }, RECEIPT_ID, now)],
    ['a state to go on from', () => nextStep({ ...order, due: undefined, attempts: strange }, now)],
  ])('%s', (_, ask) => {
    expect(ask).toThrow(/^no case for .*unheard-?of/i);
  });
});
