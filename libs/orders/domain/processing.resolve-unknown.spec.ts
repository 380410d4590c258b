import { addMs, type GateAlias } from '@app/kernel';
import {
  ANSWERED_AT,
  ATTEMPT_HISTORIES,
  attemptEvents,
  deciderSpec,
  finalEvents,
  gateAnswers,
  OTHER_KEY,
  PAYER_RETURNED_AT,
  processingCommands,
  sampleGate,
  sampleOrder,
  samplePlan,
  SETTLED_AT,
  STARTED_AT,
} from '@app/testing';
import { decideProcessing, evolveProcessing, processingOf } from './processing';

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
