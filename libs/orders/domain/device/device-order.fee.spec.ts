import { addMs, type GateAlias } from '@app/kernel';
import {
  afterAcceptance,
  ANSWERED_AT,
  attemptEvents,
  BOOT_ID,
  CHOICE_DUE_AT,
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
  gateAnswers,
  processingCommands,
  sampleReceipt,
  usd,
} from '@app/testing';
import { isContradiction } from '../event-parts';
import { nextStep } from '../next-step';

const plan = devicePlan({ device: { feeChoiceMs: FEE_CHOICE_MS }, cvvHolder: BOOT_ID });
const { given } = deciderSpec(deviceOrderUnder(plan));
const { checked, feesOffered, feeChosen, commissionDiffered } = deviceEvents;
const { chooseFee, declineAbsentChoice } = deviceCommands;
const offered = [checked(), feesOffered()] as const;
const chosen = [...offered, feeChosen()] as const;
const atChosen = { gate: FEE_B.gate, now: addMs(FEE_CHOSEN_AT, 10) };
const started = attemptEvents.started({ gate: FEE_B.gate, startedAt: addMs(FEE_CHOSEN_AT, 10) });

describe('the consumer’s choice among the fees (interface, section 3.2)', () => {
  it.each([FEE_A, FEE_B])('is accepted for an offered fee, with its commission: $gate [W60]', (offer) => {
    given(...offered)
      .when(chooseFee({ gate: offer.gate }))
      .then(feeChosen(offer));
  });

  it('is accepted once [W60]', () => {
    given(...chosen)
      .when(chooseFee())
      .thenRejected({ reason: 'fee-not-awaited' });
    given(...chosen)
      .when(chooseFee({ gate: FEE_A.gate }))
      .thenRejected({ reason: 'fee-not-awaited' });
  });

  it('is rejected before the check, without an offer, and in a final order', () => {
    given().when(chooseFee()).thenRejected({ reason: 'fee-not-awaited' });
    given(checked()).when(chooseFee()).thenRejected({ reason: 'fee-not-awaited' });
    given(...offered, finalEvents.declined({ code: 110 }))
      .when(chooseFee())
      .thenRejected({ reason: 'order-final' });
  });

  it('is rejected for a gate that was not offered [W376]', () => {
    given(checked(), feesOffered({ offers: [FEE_A] }))
      .when(chooseFee({ gate: FEE_B.gate }))
      .thenRejected({ reason: 'fee-not-offered' });
    given(...offered)
      .when(chooseFee({ gate: 'sim-x' as GateAlias }))
      .thenRejected({ reason: 'fee-not-offered' });
  });

  it('is accepted before its deadline, and declined as absent with 110 from the deadline [W387]', () => {
    const before = addMs(CHOICE_DUE_AT, -1);
    given(...offered)
      .when(chooseFee({ now: before }))
      .then(feeChosen({ chosenAt: before }));
    given(...offered)
      .when(declineAbsentChoice({ now: before }))
      .thenRejected({ reason: 'consumer-still-has-time' });
    given(...offered)
      .when(chooseFee({ now: CHOICE_DUE_AT }))
      .thenRejected({ reason: 'choice-too-late' });
    given(...offered)
      .when(declineAbsentChoice())
      .then(finalEvents.declined({ code: 110, declinedAt: CHOICE_DUE_AT }));
  });

  it('cannot be declined as absent if it was made or never offered', () => {
    given(...chosen)
      .when(declineAbsentChoice())
      .thenRejected({ reason: 'fee-not-awaited' });
    given(checked()).when(declineAbsentChoice()).thenRejected({ reason: 'fee-not-awaited' });
  });

  it('is required before an attempt starts [W59]', () => {
    given(...offered)
      .when(processingCommands.start())
      .thenRejected({ reason: 'fee-not-chosen' });
    expect(nextStep(given(...offered).state, FEE_CHOSEN_AT)).toStrictEqual({ task: 'decline-absent-choice', dueAt: CHOICE_DUE_AT });
  });

  it('does not let the order be interrupted while it is pending, unless the CVV holder is gone', () => {
    const late = afterAcceptance(600_000);
    given(...offered)
      .when(processingCommands.interrupt({ now: late }))
      .thenRejected({ reason: 'submit-not-overdue' });
    given(...offered)
      .when(processingCommands.interrupt({ now: late, isHolderGone: true }))
      .then(finalEvents.failed({ code: 121, failedAt: late }));
  });

  it('restarts the CVV holder’s deadline', () => {
    const { state } = given(...chosen);
    expect(nextStep(state, FEE_CHOSEN_AT)).toStrictEqual({ task: 'interrupt', dueAt: addMs(FEE_CHOSEN_AT, 60_000) });
    given(...chosen)
      .when(processingCommands.interrupt({ now: addMs(FEE_CHOSEN_AT, 59_999) }))
      .thenRejected({ reason: 'submit-not-overdue' });
  });
});

describe('the chosen gate', () => {
  it('is the only one that may be asked [W60]', () => {
    given(...chosen)
      .when(processingCommands.start(atChosen))
      .then(started);
    given(...chosen)
      .when(processingCommands.start({ ...atChosen, gate: FEE_A.gate }))
      .thenRejected({ reason: 'not-its-turn' });
  });

  it('is the last gate of the order even after a decline with 100', () => {
    const answer = gateAnswers.declined({ code: 100 });
    given(...chosen, started)
      .when(processingCommands.record(answer))
      .then(attemptEvents.declined({ code: 100 }), finalEvents.declined({ code: 100, declinedAt: ANSWERED_AT }));
  });

  it('may withhold the offered commission', () => {
    const receipt = sampleReceipt({ commission: FEE_B.commission });
    given(...chosen, started)
      .when(processingCommands.record(gateAnswers.approved({ receipt })))
      .then(attemptEvents.approved({ receipt }));
  });

  it('causes an alarm and no other change if it withholds a different commission', () => {
    const receipt = sampleReceipt({ commission: usd(201n) });
    const differed = commissionDiffered({ heardAt: ANSWERED_AT });
    expect(isContradiction(differed)).toBe(true);
    given(...chosen, started)
      .when(processingCommands.record(gateAnswers.approved({ receipt })))
      .then(attemptEvents.approved({ receipt }), differed);
    const { state } = given(...chosen, started, attemptEvents.approved({ receipt }), differed);
    expect(state).toStrictEqual(given(...chosen, started, attemptEvents.approved({ receipt })).state);
  });

  it('may report no commission, and any commission is accepted without a choice', () => {
    given(...chosen, started)
      .when(processingCommands.record(gateAnswers.approved()))
      .then(attemptEvents.approved());
    const receipt = sampleReceipt({ commission: usd(999n) });
    given(checked(), attemptEvents.started())
      .when(processingCommands.record(gateAnswers.approved({ receipt })))
      .then(attemptEvents.approved({ receipt }));
  });
});
