import { addMs, type GateAlias } from '@app/kernel';
import {
  ACCEPTED_AT,
  afterAcceptance,
  ANSWERED_AT,
  ATTEMPT_HISTORIES,
  attemptEvents,
  BOOT_ID,
  CHOICE_DUE_AT,
  FEE_A,
  FEE_B,
  finalEvents,
  PAYER_DUE_AT,
  PAYER_RETURNED_AT,
  routingEvents,
  sampleGate,
  sampleOrder,
  samplePlan,
  STARTED_AT,
} from '@app/testing';
import type { Plan } from './accepted-order';
import { longestFlightMsOf } from './inquiry-schedule';
import { nextStep } from './next-step';
import { evolveProcessing, processingOf, type ProcessingEvent } from './processing';

const { started, unknown, challenged, payerReturned, declined } = attemptEvents;

const after = (events: readonly ProcessingEvent[], plan: Partial<Plan> = {}) =>
  events.reduce(evolveProcessing, processingOf(sampleOrder({ plan: samplePlan(plan) })));
const FLIGHT_5_S = { gates: [sampleGate({ longestFlightMs: 5_000 })] } as const;

describe('the next step of an order', () => {
  it('is the submit at acceptance for an order without a CVV', () => {
    expect(nextStep(after([]), ACCEPTED_AT)).toStrictEqual({ task: 'submit', dueAt: ACCEPTED_AT });
  });

  it('is the interrupt 60 s after acceptance for an order with a CVV', () => {
    const step = { task: 'interrupt', dueAt: afterAcceptance(60_000) };
    expect(nextStep(after([], { cvvHolder: BOOT_ID }), ACCEPTED_AT)).toStrictEqual(step);
    expect(nextStep(after([], { cvvHolder: BOOT_ID }), afterAcceptance(61_000))).toStrictEqual(step);
  });

  it.each(['started', 'unknown'] as const)('is an inquiry by the schedule since the start while the attempt is %s', (status) => {
    const state = after(ATTEMPT_HISTORIES[status], FLIGHT_5_S);
    expect(nextStep(state, STARTED_AT)).toStrictEqual({ task: 'inquire', dueAt: addMs(STARTED_AT, 1_000) });
    expect(nextStep(state, addMs(STARTED_AT, 23_000))).toStrictEqual({ task: 'inquire', dueAt: addMs(STARTED_AT, 37_000) });
    expect(nextStep(state, addMs(STARTED_AT, 37_000))).toStrictEqual({ task: 'inquire', dueAt: addMs(STARTED_AT, 83_000) });
  });

  it('is an inquiry every 30 s during a hosted authentication, and by the schedule after the payer’s deadline', () => {
    const hosted = [started(), challenged({ isHosted: true })];
    const now = addMs(STARTED_AT, 10_000);
    expect(nextStep(after(hosted, FLIGHT_5_S), now)).toStrictEqual({ task: 'inquire', dueAt: addMs(now, 30_000) });
    const late = addMs(STARTED_AT, 3_600_000);
    const undecided = after([...hosted, unknown({ isCallOver: true, answeredAt: PAYER_DUE_AT })], FLIGHT_5_S);
    expect(nextStep(undecided, late)).toStrictEqual({ task: 'inquire', dueAt: addMs(STARTED_AT, 1_283_000 + 3_600_000) });
  });

  it('is an inquiry after the longest flight, counted from the end of the call if it is recorded', () => {
    const state = after([started(), unknown({ isCallOver: true })], FLIGHT_5_S);
    expect(nextStep(state, addMs(STARTED_AT, 3_000))).toStrictEqual({ task: 'inquire', dueAt: addMs(ANSWERED_AT, 5_000) });
    const again = after([started(), unknown({ isCallOver: true }), started({ startedAt: ANSWERED_AT })], FLIGHT_5_S);
    expect(nextStep(again, addMs(ANSWERED_AT, 23_000))).toStrictEqual({ task: 'inquire', dueAt: addMs(ANSWERED_AT, 37_000) });
  });

  it.each([
    ['the payer is back', ATTEMPT_HISTORIES['payer-returned']],
    ['the second leg was silent', [started(), challenged(), payerReturned(), unknown()]],
    ['a silent second leg was recorded again', [started(), challenged(), payerReturned(), unknown(), unknown()]],
  ])('is an inquiry by the schedule since the payer’s return if %s', (_, history) => {
    const state = after(history, FLIGHT_5_S);
    expect(nextStep(state, PAYER_RETURNED_AT)).toStrictEqual({ task: 'inquire', dueAt: addMs(PAYER_RETURNED_AT, 1_000) });
    expect(nextStep(state, addMs(PAYER_RETURNED_AT, 23_000))).toStrictEqual({ task: 'inquire', dueAt: addMs(PAYER_RETURNED_AT, 37_000) });
  });

  it('is the absent-payer decline at the deadline of the challenge', () => {
    const state = after(ATTEMPT_HISTORIES['payer-needed']);
    const step = { task: 'decline-absent-payer', dueAt: PAYER_DUE_AT };
    expect(nextStep(state, STARTED_AT)).toStrictEqual(step);
    expect(nextStep(state, addMs(PAYER_DUE_AT, 1))).toStrictEqual(step);
  });

  it.each(['approved', 'declined', 'not-asked'] as const)('is nothing while the attempt is %s', (status) => {
    expect(nextStep(after(ATTEMPT_HISTORIES[status]), afterAcceptance(0))).toStrictEqual({ task: 'nothing' });
  });

  it('is the submit of the chosen next attempt, or the interrupt 60 s later with a CVV', () => {
    const history = [started(), declined({ code: 100 }), routingEvents.nextChosen()];
    const gates = [sampleGate(), sampleGate({ alias: 'sim-b' as GateAlias })] as const;
    expect(nextStep(after(history, { gates }), ACCEPTED_AT)).toStrictEqual({ task: 'submit', dueAt: afterAcceptance(200) });
    const step = { task: 'interrupt', dueAt: afterAcceptance(60_200) };
    expect(nextStep(after(history, { gates, cvvHolder: BOOT_ID }), ACCEPTED_AT)).toStrictEqual(step);
  });

  it.each([
    ['before any attempt', [finalEvents.failed({ code: 121 })]],
    ['with an attempt that was settled', [started(), declined(), finalEvents.declined()]],
  ])('is nothing for a final order: %s', (_, history) => {
    expect(nextStep(after(history, { cvvHolder: BOOT_ID }), afterAcceptance(86_400_000))).toStrictEqual({ task: 'nothing' });
  });
});

describe('the next step of a device order', () => {
  const offered = { ...after([]), device: { status: 'fee-offered', offers: [FEE_A, FEE_B], choiceDueAt: CHOICE_DUE_AT } } as const;
  const approved = { ...after(ATTEMPT_HISTORIES.approved), device: { status: 'checked' } } as const;
  const now = afterAcceptance(1_000);

  it('is the absent-choice decline at its deadline while the choice is pending, and not the submit', () => {
    expect(nextStep(offered, now)).toStrictEqual({ task: 'decline-absent-choice', dueAt: CHOICE_DUE_AT });
    expect(nextStep({ ...offered, device: { status: 'checked' } }, now)).toStrictEqual({ task: 'submit', dueAt: ACCEPTED_AT });
  });

  it('is the immediate conclusion after the gate’s approval', () => {
    expect(nextStep(approved, now)).toStrictEqual({ task: 'conclude', dueAt: now });
  });

  it('is nothing after its end', () => {
    const end = finalEvents.approved();
    expect([nextStep({ ...offered, end }, now), nextStep({ ...approved, end }, now)]).toStrictEqual([
      { task: 'nothing' },
      { task: 'nothing' },
    ]);
  });
});

describe('the longest flight', () => {
  const gates = [sampleGate({ longestFlightMs: 5_000 }), sampleGate({ alias: 'sim-b' as GateAlias, longestFlightMs: 90_000 })] as const;

  it('is taken from the plan for the asked gate, and counted from the latest send time', () => {
    expect(longestFlightMsOf(after([], { gates }), 'sim-a' as GateAlias)).toBe(5_000);
    expect(longestFlightMsOf(after([], { gates }), 'sim-b' as GateAlias)).toBe(90_000);
    const state = after([started({ gate: 'sim-b' as GateAlias })], { gates });
    expect(nextStep(state, addMs(STARTED_AT, 83_000))).toStrictEqual({ task: 'inquire', dueAt: addMs(STARTED_AT, 122_000) });
  });

  it('is not available for a gate that is not in the plan', () => {
    expect(() => longestFlightMsOf(after([]), 'sim-z' as GateAlias)).toThrow('the plan has no gate sim-z');
  });
});
