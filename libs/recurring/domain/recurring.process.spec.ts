import type { CardRefId } from '@app/kernel';
import { ANSWERED_AT, attemptEvents, deciderSpec, finalEvents, gateAnswers, processingCommands, sampleOrder } from '@app/testing';
import { recurring, type RecurrentPaymentAccepted } from './recurring';

const { given } = deciderSpec(recurring);
const { start, record, recordPayerReturn, declineAbsentPayer, interrupt } = processingCommands;
const { started, declined, unknown } = attemptEvents;
const accepted: RecurrentPaymentAccepted = {
  type: 'OrderAccepted',
  data: { ...sampleOrder(), cardRefId: 'a0sample0reference0c' as CardRefId, marks: { scenario: 'REGULAR' } },
};
const end = finalEvents.declined({ declinedAt: ANSWERED_AT });

describe('the processing of a recurrent payment', () => {
  it.each([start(), record(gateAnswers.approved()), recordPayerReturn(), declineAbsentPayer(), interrupt({ isHolderGone: true })])(
    'ignores $type before the acceptance',
    (command) => given().when(command).thenRejected({ reason: 'nothing-new' }),
  );

  it('starts after the acceptance, once', () => {
    given(accepted).when(start()).then(started());
    given(accepted, started()).when(start()).thenRejected({ reason: 'attempt-open' });
  });

  it("ends with the gate's answer, in one append, once", () => {
    given(accepted, started()).when(record(gateAnswers.declined())).then(declined(), end);
    given(accepted, started(), declined(), end).when(record(gateAnswers.declined())).thenRejected({ reason: 'nothing-new' });
    given(accepted, started(), declined(), end).when(start()).thenRejected({ reason: 'order-final' });
  });

  it('starts nothing on an unknown outcome, and ends when the gate reports it', () => {
    given(accepted, started(), unknown()).when(start()).thenRejected({ reason: 'attempt-open' });
    given(accepted, started(), unknown()).when(record(gateAnswers.declined())).then(declined(), end);
  });
});

describe('folding the log of a recurrent payment', () => {
  it('keeps the order as it was accepted beside its progress', () => {
    const { state } = given(accepted, started(), declined(), end);
    expect(state).toMatchObject({ status: 'accepted', order: accepted.data, processing: { attempts: { status: 'declined' }, end } });
  });

  it('throws where the log is impossible', () => {
    expect(() => given(started())).toThrow('AttemptStarted before OrderAccepted');
    expect(() => given(accepted, accepted)).toThrow('OrderAccepted twice');
  });
});
