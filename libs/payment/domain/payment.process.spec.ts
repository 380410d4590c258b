import {
  attemptEvents,
  deciderSpec,
  finalEvents,
  gateAnswers,
  processingCommands,
  RECEIPT_ID,
  sampleOrder,
  sampleRequest,
  servedOffer,
  ANSWERED_AT,
} from '@app/testing';
import { payment, type AcceptPayment, type PaymentAccepted } from './payment';

const { given } = deciderSpec(payment);
const { start, record, recordPayerReturn, declineAbsentPayer, interrupt } = processingCommands;
const { started, approved, unknown, challenged } = attemptEvents;
const accepted: PaymentAccepted = { type: 'OrderAccepted', data: sampleOrder() };
const end = finalEvents.approved({ approvedAt: ANSWERED_AT });

describe('the processing of a payment', () => {
  it.each([start(), record(gateAnswers.approved()), recordPayerReturn(), declineAbsentPayer(), interrupt({ isHolderGone: true })])(
    'ignores $type before the acceptance',
    (command) => given().when(command).thenRejected({ reason: 'nothing-new' }),
  );

  it('starts after the acceptance, once', () => {
    given(accepted).when(start()).then(started());
    given(accepted, started()).when(start()).thenRejected({ reason: 'attempt-open' });
  });

  it("ends with the gate's answer, in one append, once", () => {
    given(accepted, started()).when(record(gateAnswers.approved())).then(approved(), end);
    given(accepted, started(), approved(), end).when(record(gateAnswers.approved())).thenRejected({ reason: 'nothing-new' });
    given(accepted, started(), approved(), end).when(start()).thenRejected({ reason: 'order-final' });
  });

  it('starts nothing on an unknown outcome, and ends when the gate reports it', () => {
    given(accepted, started(), unknown()).when(start()).thenRejected({ reason: 'attempt-open' });
    given(accepted, started(), unknown()).when(record(gateAnswers.approved())).then(approved(), end);
  });

  it.each([
    ['accepted', [accepted]],
    ['under way', [accepted, started()]],
    ['with the payer', [accepted, started(), challenged()]],
    ['unknown', [accepted, started(), unknown()]],
    ['final', [accepted, started(), approved(), end]],
  ])('does not change the answer to a repeat of the request: %s', (_, history) => {
    const again: AcceptPayment = {
      type: 'AcceptPayment',
      data: { order: sampleRequest(), operation: 'sale', offer: servedOffer(), now: ANSWERED_AT },
    };
    const { orderId, endpointId } = accepted.data;
    given(...history)
      .when(again)
      .thenRejected({ reason: 'accepted-before', orderId, endpointId });
  });
});

describe('folding the log of a payment', () => {
  it('keeps the order as it was accepted beside its progress', () => {
    const { state } = given(accepted, started(), approved(), end);
    expect(state).toMatchObject({ status: 'accepted', order: accepted.data, processing: { attempts: { status: 'approved' }, end } });
    expect(end.data.receiptId).toBe(RECEIPT_ID);
  });

  it('throws where the log is impossible', () => {
    expect(() => given(started())).toThrow('AttemptStarted before OrderAccepted');
    expect(() => given(accepted, accepted)).toThrow('OrderAccepted twice');
  });
});
