import type { Decider } from '@app/kernel';
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
} from '@app/testing';
import {
  decideProcessing,
  evolveProcessing,
  processingOf,
  type Processing,
  type ProcessingCommand,
  type ProcessingEvent,
  type ProcessingRejection,
} from './processing';

const processing: Decider<ProcessingCommand, ProcessingEvent, Processing, ProcessingRejection> = {
  initial: processingOf(sampleOrder({ plan: samplePlan({ callbacks: ['callback', 'notify'] }) })),
  evolve: evolveProcessing,
  decide: decideProcessing,
};
const { given } = deciderSpec(processing);
const { start, record, recordPayerReturn, declineAbsentPayer } = processingCommands;
const { started, approved, declined, declinedForAbsence, unknown, notAsked, challenged, payerReturned } = attemptEvents;
const callbacks = ['callback', 'notify'] as const;

describe('the end of an order comes in the same append as the outcome that brings it', () => {
  it('an approval ends it approved, with the amount that was charged and the receipt', () => {
    const amount = usd(77n);
    given(started({ amount }))
      .when({ ...record(gateAnswers.approved()), receiptId: 'another-receipt-id' })
      .then(approved(), finalEvents.approved({ amount, receiptId: 'another-receipt-id', callbacks, approvedAt: ANSWERED_AT }));
  });

  it("a decline ends it declined with the issuer's reason", () => {
    given(started())
      .when(record(gateAnswers.declined({ code: 209 })))
      .then(declined({ code: 209 }), finalEvents.declined({ code: 209, callbacks, declinedAt: ANSWERED_AT }));
  });

  it('an absent payer ends it declined 110', () => {
    given(started(), challenged())
      .when(declineAbsentPayer())
      .then(declinedForAbsence(), finalEvents.declined({ code: 110, callbacks, declinedAt: PAYER_DUE_AT }));
  });

  it.each(['unavailable', 'refused-by-gate'] as const)('a gate that could not be asked (%s) ends it in error 122', (cause) => {
    given(started())
      .when(record(gateAnswers.notAsked({ cause })))
      .then(notAsked({ cause }), finalEvents.failed({ code: 122, callbacks, failedAt: ANSWERED_AT }));
  });

  it('a gate that never heard of it ends it in error 121', () => {
    given(started(), unknown())
      .when(record(gateAnswers.notAsked({ cause: 'never-heard-of' })))
      .then(notAsked({ cause: 'never-heard-of' }), finalEvents.failed({ code: 121, callbacks, failedAt: ANSWERED_AT }));
  });

  it('an unknown outcome that the gate settles ends it then', () => {
    const now = afterAcceptance(86_400_000);
    given(started(), unknown())
      .when(record(gateAnswers.approved(), { now }))
      .then(approved({ answeredAt: now }), finalEvents.approved({ callbacks, approvedAt: now }));
  });
});

describe('what settles nothing ends nothing', () => {
  it('a start, a silence, a challenge and the return of the payer each stand alone', () => {
    given()
      .when(start())
      .then(started({ startedAt: STARTED_AT }));
    given(started()).when(record(gateAnswers.unknown())).then(unknown());
    given(started()).when(record(gateAnswers.payerNeeded())).then(challenged());
    given(started(), challenged())
      .when(recordPayerReturn())
      .then(payerReturned({ returnedAt: PAYER_RETURNED_AT }));
  });

  it('what the attempts refuse is refused as they refuse it', () => {
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
