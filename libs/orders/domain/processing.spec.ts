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

describe('the append of an outcome also ends the order', () => {
  it('as approved with the charged amount and the receipt after an approval', () => {
    const amount = usd(77n);
    given(started({ amount }))
      .when({ ...record(gateAnswers.approved()), receiptId: 'another-receipt-id' })
      .then(approved(), finalEvents.approved({ amount, receiptId: 'another-receipt-id', callbacks, approvedAt: ANSWERED_AT }));
  });

  it("as declined with the issuer's code after a decline", () => {
    given(started())
      .when(record(gateAnswers.declined({ code: 209 })))
      .then(declined({ code: 209 }), finalEvents.declined({ code: 209, callbacks, declinedAt: ANSWERED_AT }));
  });

  it('as declined with 110 if the payer is absent', () => {
    given(started(), challenged())
      .when(declineAbsentPayer())
      .then(declinedForAbsence(), finalEvents.declined({ code: 110, callbacks, declinedAt: PAYER_DUE_AT }));
  });

  it.each(['unavailable', 'refused-by-gate'] as const)('as failed with 122 if the gate could not be asked (%s)', (cause) => {
    given(started())
      .when(record(gateAnswers.notAsked({ cause })))
      .then(notAsked({ cause }), finalEvents.failed({ code: 122, callbacks, failedAt: ANSWERED_AT }));
  });

  it('as failed with 121 if the gate never received the attempt', () => {
    given(started(), unknown())
      .when(record(gateAnswers.notAsked({ cause: 'never-heard-of' })))
      .then(notAsked({ cause: 'never-heard-of' }), finalEvents.failed({ code: 121, callbacks, failedAt: ANSWERED_AT }));
  });

  it('if the gate answers after an unknown outcome', () => {
    const now = afterAcceptance(86_400_000);
    given(started(), unknown())
      .when(record(gateAnswers.approved(), { now }))
      .then(approved({ answeredAt: now }), finalEvents.approved({ callbacks, approvedAt: now }));
  });
});

describe('an event without an outcome', () => {
  it('does not end the order: start, unknown answer, challenge and payer return', () => {
    given()
      .when(start())
      .then(started({ startedAt: STARTED_AT }));
    given(started()).when(record(gateAnswers.unknown())).then(unknown());
    given(started()).when(record(gateAnswers.payerNeeded())).then(challenged());
    given(started(), challenged())
      .when(recordPayerReturn())
      .then(payerReturned({ returnedAt: PAYER_RETURNED_AT }));
  });

  it('keeps the rejections of the attempts unchanged', () => {
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
      'rejects $type as final',
      (command) =>
        given(...history)
          .when(command)
          .thenRejected({ reason: 'order-final' }),
    );

    it.each([gateAnswers.payerNeeded(), gateAnswers.unknown(), gateAnswers.notAsked()])('ignores the answer $kind', (answer) =>
      given(...history)
        .when(record(answer))
        .thenRejected({ reason: 'nothing-new' }),
    );

    it('cannot end again', () => {
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
    ])('is recorded once and keeps the end "$end"', ({ end, answer, fact }) => {
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
    ])('is not new after "$end" if it contradicts no attempt', ({ end, answer }) => {
      given(...(ends[end] ?? []))
        .when(answer)
        .thenRejected({ reason: 'nothing-new' });
    });
  });

  describe('a conclusion that the context decides later', () => {
    it.each(['none', 'started', 'unknown', 'payer-needed', 'payer-returned'] as const)('is undefined while the attempt is %s', (status) => {
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

  describe('at an entry point with screening rules', () => {
    it('records the screening result in the append of the first attempt', () => {
      given()
        .when({ ...start(), screened: screened().data })
        .then(screened(), started());
      given(screened(), started())
        .when({ ...start(), screened: screened().data })
        .thenRejected({ reason: 'attempt-open' });
    });

    it('ends filtered with code 120 and without an attempt if a rule is broken', () => {
      const broken = screened({ brokenRule: 'per-card', cardCount: 3 });
      const end = finalEvents.filtered({ filteredAt: STARTED_AT });
      given()
        .when({ ...start(), screened: broken.data })
        .then(broken, end);
      given(broken, end)
        .when({ ...start(), screened: broken.data })
        .thenRejected({ reason: 'order-final' });
    });

    it('does not start without a screening result by the rules of its plan', () => {
      given().when(start()).thenRejected({ reason: 'not-screened' });
      given()
        .when({ ...start(), screened: screened({ rulesVersion: 'other' }).data })
        .thenRejected({ reason: 'not-screened' });
    });

    it('is screened only before its first attempt', () => {
      const next = start({ key: OTHER_KEY, gate: 'sim-b' as GateAlias });
      given(screened(), started(), notAsked(), nextChosen())
        .when(next)
        .then(started({ attemptKey: OTHER_KEY, number: 2, gate: 'sim-b' as GateAlias }));
    });
  });

  it('an order without screening rules is not screened', () => {
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

describe('an order whose CVV was lost with its process', () => {
  it.each([
    { when: 'at once, where the holder is known to be gone', now: ACCEPTED_AT, isHolderGone: true },
    { when: '60 s after its submit was due', now: DUE_AT, isHolderGone: false },
    { when: 'later', now: addMs(DUE_AT, 1), isHolderGone: false },
  ])('fails with 121 without a charge: $when', ({ now, isHolderGone }) => {
    const end = finalEvents.failed({ code: 121, callbacks: ['notify'], failedAt: now });
    withCvv.given().when(interrupt({ now, isHolderGone })).then(end);
    withCvv.given(end).when(interrupt({ now, isHolderGone })).thenRejected({ reason: 'order-final' });
  });

  it('is not interrupted before the deadline of a running holder', () => {
    withCvv
      .given()
      .when(interrupt({ now: addMs(DUE_AT, -1), isHolderGone: false }))
      .thenRejected({ reason: 'submit-not-overdue' });
  });

  it.each([true, false])('is never interrupted if it has no CVV, since any process can submit it (holder gone: %s)', (isHolderGone) => {
    withoutCvv
      .given()
      .when(interrupt({ now: addMs(DUE_AT, 3_600_000), isHolderGone }))
      .thenRejected({ reason: 'submit-not-overdue' });
  });

  it.each((Object.keys(ATTEMPT_HISTORIES) as Attempts['status'][]).filter((status) => status !== 'none'))(
    'is not interrupted if its attempt is %s, since the gate can be asked',
    (status) => {
      withCvv
        .given(...ATTEMPT_HISTORIES[status])
        .when(interrupt({ now: DUE_AT, isHolderGone: true }))
        .thenRejected({ reason: 'nothing-new' });
    },
  );
});

describe('an operator’s resolution of an order', () => {
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

  describe('for an outcome that the gate leaves open', () => {
    it('approves the order with the amount of the attempt', () => {
      given(started(), unknown()).when(resolve()).then(settled(), approvedEnd);
      given(started(), unknown(), settled(), approvedEnd).when(resolve()).thenRejected({ reason: 'order-final' });
    });

    it('declines the order with code 100, and no other gate is asked', () => {
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
    ] as const)('is accepted for an attempt that is %s only after its longest flight', (_, history, sentAt) => {
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
    ] as const)('for an attempt that %s is accepted only after its longest flight', (_, history, sentAt) => {
      const flightEndsAt = addMs(sentAt, 37_000);
      given(...history)
        .when(resolve({ as: 'declined', now: addMs(flightEndsAt, -1) }))
        .thenRejected({ reason: 'flight-not-over' });
      given(...history)
        .when(resolve({ now: flightEndsAt }))
        .then(settled({ settledAt: flightEndsAt }), finalEvents.approved({ approvedAt: flightEndsAt }));
    });

    it('is accepted immediately if the call has ended with an undecided answer', () => {
      given(started(), unknown({ isCallOver: true }))
        .when(resolve({ now: ANSWERED_AT }))
        .then(settled({ settledAt: ANSWERED_AT }), finalEvents.approved({ approvedAt: ANSWERED_AT }));
    });

    it.each(['none', 'payer-needed', 'approved', 'declined', 'not-asked'] as const)('is rejected without an open outcome: %s', (status) => {
      given(...ATTEMPT_HISTORIES[status])
        .when(resolve())
        .thenRejected({ reason: 'nothing-to-resolve' });
    });

    it('is rejected for an attempt other than the latest', () => {
      given(started(), unknown())
        .when(resolve({ key: OTHER_KEY }))
        .thenRejected({ reason: 'nothing-to-resolve' });
    });
  });

  describe('followed by a later answer of the gate', () => {
    it.each([
      { as: 'approved', end: approvedEnd, answer: gateAnswers.declined(), told: 'declined' },
      { as: 'declined', end: declinedEnd, answer: gateAnswers.approved(), told: 'approved' },
    ] as const)('records a contradiction of "$as" once and keeps the outcome', ({ as, end, answer, told }) => {
      const fact = conflict({ believed: as, told });
      given(started(), unknown(), settled({ as }), end).when(record(answer)).then(fact);
      given(started(), unknown(), settled({ as }), end, fact).when(record(answer)).thenRejected({ reason: 'nothing-new' });
    });

    it('records nothing if the answer agrees', () => {
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
