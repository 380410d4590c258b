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

describe('a check where the consumer chooses and no gate named its fee', () => {
  it('leaves the order to the gate that asks the consumer itself, and to no other', () => {
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

  it('offers the fees that were named, and asks that gate for none', () => {
    given()
      .when(recordCheck({ offers: [FEE_A], feeAskedBy: OTHER_GATE }))
      .then(checked(), deviceEvents.feesOffered({ offers: [FEE_A] }));
  });

  it('ends the order where no gate does either', () => {
    given()
      .when(recordCheck({ offers: [] }))
      .then(checked(), finalEvents.failed({ code: 122, failedAt: CHECKED_AT }));
  });

  it('asks nobody where the plan has no choice', () => {
    withoutChoice()
      .when(recordCheck({ offers: [], feeAskedBy: OTHER_GATE }))
      .then(checked());
  });

  it('cannot leave it to a gate that the plan does not have', () => {
    expect(() => given(checked({ feeAskedBy: 'sim-x' as GateAlias }))).toThrow('the plan has no gate sim-x');
  });
});

describe('the fees of a gate that has the attempt', () => {
  it('are offered to the consumer', () => {
    given(asked, started).when(record()).then(gateFeesOffered());
    given(asked, started, attemptEvents.unknown()).when(record()).then(gateFeesOffered());
  });

  it('are offered once', () => {
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
  ])('are not offered, and the outcome is unknown: %s', (_what, from, answer) => {
    from(checked(), started)
      .when(record(answer))
      .then(attemptEvents.unknown({ cause: 'gate-undecided', isCallOver: true, answeredAt: GATE_FEES_OFFERED_AT }));
  });

  it('say nothing of an attempt that is none of this order', () => {
    given(asked, started)
      .when(record(choice, { key: OTHER_KEY }))
      .thenRejected({ reason: 'nothing-new' });
  });

  it('say nothing of one that was approved', () => {
    given(asked, started, attemptEvents.approved()).when(record()).thenRejected({ reason: 'nothing-new' });
  });
});

describe('the consumer’s choice of a gate’s fee', () => {
  it('is recorded, once', () => {
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

  it('is one of those offered: no gate of the plan, and nothing else', () => {
    for (const name of [GATE, OTHER_GATE, 'up-c', 'toString'])
      given(...offered)
        .when(choose(name))
        .thenRejected({ reason: 'fee-not-offered' });
  });

  it('comes in time', () => {
    given(...offered)
      .when(choose('up-b', addMs(GATE_CHOICE_DUE_AT, -1)))
      .then(gateFeeChosen({ chosenAt: addMs(GATE_CHOICE_DUE_AT, -1) }));
    given(...offered)
      .when(choose('up-b', GATE_CHOICE_DUE_AT))
      .thenRejected({ reason: 'choice-too-late' });
  });

  it('is not awaited before the gate offers, nor once the gate has ended the attempt', () => {
    given(asked, started).when(choose('up-b')).thenRejected({ reason: 'fee-not-awaited' });
    given(...offered, attemptEvents.declined(), finalEvents.declined())
      .when(choose('up-b'))
      .thenRejected({ reason: 'order-final' });
    given(...offered, attemptEvents.approved())
      .when(choose('up-b'))
      .thenRejected({ reason: 'fee-not-awaited' });
  });

  it('that differs from what the gate withholds causes an alarm', () => {
    const receipt = sampleReceipt({ commission: usd(251n) });
    given(...chosen)
      .when(processingCommands.record(gateAnswers.approved({ receipt })))
      .then(
        attemptEvents.approved({ receipt }),
        commissionDiffered({ offered: GATE_FEE_B.commission, held: usd(251n), heardAt: ANSWERED_AT }),
      );
  });
});

describe('a choice that nobody makes in time', () => {
  const declined = (now: Instant): readonly [AttemptEvent, FinalEvent] => [
    { type: 'AttemptDeclined', data: { attemptKey: ATTEMPT_KEY, code: 110, by: 'payer-absent', answeredAt: now } },
    finalEvents.declined({ code: 110, declinedAt: now }),
  ];

  it('declines attempt and order, since the gate was told none', () => {
    given(...offered)
      .when(declineAbsentChoice({ now: GATE_CHOICE_DUE_AT }))
      .then(...declined(GATE_CHOICE_DUE_AT));
  });

  it('declines it by monotonic time too, and not a moment before', () => {
    const before = addMs(GATE_CHOICE_DUE_AT, -1);
    given(...offered)
      .when(declineAbsentChoice({ now: before }))
      .thenRejected({ reason: 'consumer-still-has-time' });
    given(...offered)
      .when(declineAbsentChoice({ now: before, isTimeOver: true }))
      .then(...declined(before));
  });

  it('is not awaited any more where it was made', () => {
    given(...chosen)
      .when(declineAbsentChoice({ now: GATE_CHOICE_DUE_AT }))
      .thenRejected({ reason: 'fee-not-awaited' });
  });
});

describe('the order meanwhile', () => {
  it('waits for the consumer, then asks the gate from the choice on', () => {
    expect(nextStep(given(...offered).state, FEE_CHOSEN_AT)).toStrictEqual({ task: 'decline-absent-choice', dueAt: GATE_CHOICE_DUE_AT });
    expect(nextStep(given(...chosen).state, FEE_CHOSEN_AT)).toStrictEqual({ task: 'inquire', dueAt: addMs(FEE_CHOSEN_AT, 1_000) });
  });

  it('ends as the gate says, whoever it waits for', () => {
    for (const before of [offered, chosen])
      given(...before)
        .when(processingCommands.record(gateAnswers.declined({ code: 116 })))
        .then(attemptEvents.declined({ code: 116 }), finalEvents.declined({ code: 116, declinedAt: ANSWERED_AT }));
  });

  it('is resolved by no person while the consumer may choose, nor while the choice may be on its way', () => {
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

  it('is not interrupted, since nothing is due', () => {
    given(...offered)
      .when(processingCommands.interrupt({ isHolderGone: true, now: GATE_CHOICE_DUE_AT }))
      .thenRejected({ reason: 'nothing-new' });
  });
});

describe('an impossible log', () => {
  it.each([
    ['offers before the check', [gateFeesOffered()], 'GateFeesOffered of an order that is unchecked'],
    ['a choice of nothing', [asked, started, gateFeeChosen()], 'GateFeeChosen of an order that is checked'],
    ['offers twice', [...offered, gateFeesOffered()], 'GateFeesOffered of an order that is gate-fee-offered'],
    ['a choice twice', [...chosen, gateFeeChosen()], 'GateFeeChosen of an order that is gate-fee-chosen'],
  ])('throws: %s', (_what, events, message) => {
    expect(() => given(...events)).toThrow(message);
  });
});
