import { addMs, type Currency, type GateAlias, type Instant, type Sealed } from '@app/kernel';
import {
  afterAcceptance,
  ANSWERED_AT,
  ATTEMPT_KEY,
  attemptEvents,
  CHECKED_AT,
  deciderSpec,
  deviceCommands,
  deviceEvents,
  deviceOrderUnder,
  devicePlan,
  FEE_A,
  FEE_B,
  FEE_CHOICE_MS,
  FEE_CHOSEN_AT,
  finalEvents,
  GATE_CHOICE_DUE_AT,
  GATE_FEE_A,
  GATE_FEE_B,
  GATE_FEES_OFFERED_AT,
  gateAnswers,
  OTHER_KEY,
  processingCommands,
  sampleReceipt,
  usd,
} from '@app/testing';
import type { AttemptEvent } from '../attempt.events';
import type { GateChoice } from '../attempts';
import type { FinalEvent } from '../final.events';
import { nextStep } from '../next-step';

const { given } = deciderSpec(deviceOrderUnder(devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS } })));
const { given: withoutChoice } = deciderSpec(deviceOrderUnder(devicePlan()));
const { checked, gateFeesOffered, gateFeeChosen, commissionDiffered } = deviceEvents;
const { recordCheck, chooseFee, declineAbsentChoice } = deviceCommands;

const [GATE, OTHER_GATE] = [FEE_A.gate, FEE_B.gate];
const choice: GateChoice = {
  kind: 'choice-needed',
  offers: [GATE_FEE_A, GATE_FEE_B],
  session: 'sealed-session' as Sealed,
  choiceDueAt: GATE_CHOICE_DUE_AT,
};
const record = (answer: GateChoice = choice, data: object = {}) => {
  const { data: recorded, ...command } = processingCommands.record(gateAnswers.unknown(), { now: GATE_FEES_OFFERED_AT, ...data });
  return { ...command, data: { ...recorded, answer } };
};
const choose = (option: string, now = FEE_CHOSEN_AT) => chooseFee({ gate: option as GateAlias, now });

const asked = checked({ feeAskedBy: GATE });
const started = attemptEvents.started();
const offered = [asked, started, gateFeesOffered()] as const;
const chosen = [...offered, gateFeeChosen()] as const;

describe('a check without quoted fees if the consumer chooses', () => {
  it('assigns the order to the gate that offers its own fees', () => {
    given()
      .when(recordCheck({ offers: [], feeAskedBy: OTHER_GATE }))
      .then(checked({ feeAskedBy: OTHER_GATE }));
    given(checked({ feeAskedBy: OTHER_GATE }))
      .when(processingCommands.start({ gate: GATE }))
      .thenRejected({ reason: 'not-its-turn' });
    given(checked({ feeAskedBy: OTHER_GATE }))
      .when(processingCommands.start({ gate: OTHER_GATE }))
      .then(attemptEvents.started({ gate: OTHER_GATE }));
  });

  it('offers the quoted fees, if there are any, instead of the gate’s own', () => {
    given()
      .when(recordCheck({ offers: [FEE_A], feeAskedBy: OTHER_GATE }))
      .then(checked(), deviceEvents.feesOffered({ offers: [FEE_A] }));
  });

  it('ends the order as failed if no gate offers its own fees', () => {
    given()
      .when(recordCheck({ offers: [] }))
      .then(checked(), finalEvents.failed({ code: 122, failedAt: CHECKED_AT }));
  });

  it('assigns no gate if the plan has no choice', () => {
    withoutChoice()
      .when(recordCheck({ offers: [], feeAskedBy: OTHER_GATE }))
      .then(checked());
  });

  it('throws for a gate that is not in the plan', () => {
    expect(() => given(checked({ feeAskedBy: 'sim-x' as GateAlias }))).toThrow('the plan has no gate sim-x');
  });
});

describe('the fees from a gate with an open attempt', () => {
  it('are offered to the consumer', () => {
    given(asked, started).when(record()).then(gateFeesOffered());
    given(asked, started, attemptEvents.unknown()).when(record()).then(gateFeesOffered());
  });

  it('are offered only once', () => {
    given(...offered)
      .when(record())
      .then(attemptEvents.unknown({ cause: 'gate-undecided', isCallOver: true, answeredAt: GATE_FEES_OFFERED_AT }));
    given(...chosen, attemptEvents.unknown())
      .when(record())
      .thenRejected({ reason: 'nothing-new' });
  });

  it.each<[string, typeof given, GateChoice]>([
    ['where the plan has no choice', withoutChoice, choice],
    ['in another currency', given, { ...choice, offers: [{ ...GATE_FEE_A, commission: { minor: 1n, currency: 'EUR' as Currency } }] }],
  ])('are not offered and make the outcome unknown: %s', (_what, from, answer) => {
    from(checked(), started)
      .when(record(answer))
      .then(attemptEvents.unknown({ cause: 'gate-undecided', isCallOver: true, answeredAt: GATE_FEES_OFFERED_AT }));
  });

  it('are ignored for an unknown attempt', () => {
    given(asked, started)
      .when(record(choice, { key: OTHER_KEY }))
      .thenRejected({ reason: 'nothing-new' });
  });

  it('are ignored for an approved attempt', () => {
    given(asked, started, attemptEvents.approved()).when(record()).thenRejected({ reason: 'nothing-new' });
  });
});

describe('the consumer’s choice of a gate’s fee', () => {
  it('is recorded once', () => {
    given(...offered)
      .when(choose('up-b'))
      .then(gateFeeChosen());
    given(...offered)
      .when(choose('up-a'))
      .then(gateFeeChosen({ ...GATE_FEE_A }));
    given(...chosen)
      .when(choose('up-a'))
      .thenRejected({ reason: 'fee-not-awaited' });
  });

  it('must be an offered option', () => {
    for (const name of [GATE, OTHER_GATE, 'up-c', 'toString'])
      given(...offered)
        .when(choose(name))
        .thenRejected({ reason: 'fee-not-offered' });
  });

  it('is accepted before its deadline and rejected from the deadline on', () => {
    given(...offered)
      .when(choose('up-b', addMs(GATE_CHOICE_DUE_AT, -1)))
      .then(gateFeeChosen({ chosenAt: addMs(GATE_CHOICE_DUE_AT, -1) }));
    given(...offered)
      .when(choose('up-b', GATE_CHOICE_DUE_AT))
      .thenRejected({ reason: 'choice-too-late' });
  });

  it('is rejected before the offer and after the attempt has ended', () => {
    given(asked, started).when(choose('up-b')).thenRejected({ reason: 'fee-not-awaited' });
    given(...offered, attemptEvents.declined(), finalEvents.declined())
      .when(choose('up-b'))
      .thenRejected({ reason: 'order-final' });
    given(...offered, attemptEvents.approved())
      .when(choose('up-b'))
      .thenRejected({ reason: 'fee-not-awaited' });
  });

  it('causes an alarm if the gate withholds a different commission', () => {
    const receipt = sampleReceipt({ commission: usd(251n) });
    given(...chosen)
      .when(processingCommands.record(gateAnswers.approved({ receipt })))
      .then(
        attemptEvents.approved({ receipt }),
        commissionDiffered({ offered: GATE_FEE_B.commission, held: usd(251n), heardAt: ANSWERED_AT }),
      );
  });
});

describe('a missing choice of a gate’s fee', () => {
  const declined = (now: Instant): readonly [AttemptEvent, FinalEvent] => [
    { type: 'AttemptDeclined', data: { attemptKey: ATTEMPT_KEY, code: 110, by: 'payer-absent', answeredAt: now } },
    finalEvents.declined({ code: 110, declinedAt: now }),
  ];

  it('declines the attempt and the order at the deadline', () => {
    given(...offered)
      .when(declineAbsentChoice({ now: GATE_CHOICE_DUE_AT }))
      .then(...declined(GATE_CHOICE_DUE_AT));
  });

  it('declines before the deadline only if the monotonic wait is over', () => {
    const before = addMs(GATE_CHOICE_DUE_AT, -1);
    given(...offered)
      .when(declineAbsentChoice({ now: before }))
      .thenRejected({ reason: 'consumer-still-has-time' });
    given(...offered)
      .when(declineAbsentChoice({ now: before, isTimeOver: true }))
      .then(...declined(before));
  });

  it('declines nothing if the choice was made', () => {
    given(...chosen)
      .when(declineAbsentChoice({ now: GATE_CHOICE_DUE_AT }))
      .thenRejected({ reason: 'fee-not-awaited' });
  });
});

describe('an order with a gate’s fee choice', () => {
  it('first waits for the choice and then inquires at the gate', () => {
    expect(nextStep(given(...offered).state, FEE_CHOSEN_AT)).toStrictEqual({ task: 'decline-absent-choice', dueAt: GATE_CHOICE_DUE_AT });
    expect(nextStep(given(...chosen).state, FEE_CHOSEN_AT)).toStrictEqual({ task: 'inquire', dueAt: addMs(FEE_CHOSEN_AT, 1_000) });
  });

  it('ends with the gate’s outcome before and after the choice', () => {
    for (const before of [offered, chosen])
      given(...before)
        .when(processingCommands.record(gateAnswers.declined({ code: 116 })))
        .then(attemptEvents.declined({ code: 116 }), finalEvents.declined({ code: 116, declinedAt: ANSWERED_AT }));
  });

  it('cannot be resolved while the choice is pending or within its longest flight', () => {
    given(...offered)
      .when(processingCommands.resolve({ now: afterAcceptance(800_000) }))
      .thenRejected({ reason: 'nothing-to-resolve' });
    given(...chosen)
      .when(processingCommands.resolve({ now: addMs(FEE_CHOSEN_AT, 32_000) }))
      .thenRejected({ reason: 'flight-not-over' });
    const settled = addMs(FEE_CHOSEN_AT, 3_600_000);
    given(...chosen)
      .when(processingCommands.resolve({ now: settled, as: 'declined' }))
      .then(attemptEvents.settled({ as: 'declined', settledAt: settled }), finalEvents.declined({ code: 100, declinedAt: settled }));
  });

  it('is not interrupted while the choice is pending', () => {
    given(...offered)
      .when(processingCommands.interrupt({ isHolderGone: true, now: GATE_CHOICE_DUE_AT }))
      .thenRejected({ reason: 'nothing-new' });
  });
});

describe('an impossible log', () => {
  it.each([
    ['offers before the check', [gateFeesOffered()], 'GateFeesOffered of an order that is unchecked'],
    ['a choice without an offer', [asked, started, gateFeeChosen()], 'GateFeeChosen of an order that is checked'],
    ['offers twice', [...offered, gateFeesOffered()], 'GateFeesOffered of an order that is gate-fee-offered'],
    ['a choice twice', [...chosen, gateFeeChosen()], 'GateFeeChosen of an order that is gate-fee-chosen'],
  ])('throws for %s', (_what, events, message) => {
    expect(() => given(...events)).toThrow(message);
  });
});
