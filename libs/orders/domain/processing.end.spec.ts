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
