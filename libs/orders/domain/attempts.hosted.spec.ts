import { addMs } from '@app/kernel';
import { ANSWERED_AT, attemptEvents, deciderSpec, gateAnswers, PAYER_DUE_AT, processingCommands, STARTED_AT } from '@app/testing';
import { attempts } from './attempts';

const { given } = deciderSpec(attempts);
const { record, recordPayerReturn, declineAbsentPayer } = processingCommands;
const { started, challenged, unknown, approved, declined, notAsked } = attemptEvents;

const challenge = challenged({ isHosted: true });
const hosted = [started(), challenge];
const overdue = [...hosted, unknown({ cause: 'gate-undecided', isCallOver: true, answeredAt: PAYER_DUE_AT })];
const NOTHING_NEW = { reason: 'nothing-new' } as const;
const inTime = addMs(PAYER_DUE_AT, -1);

describe('an attempt whose gate hosts the payer’s authentication', () => {
  it('is challenged as the gate says so', () => {
    given(started())
      .when(record(gateAnswers.payerNeeded({ isHosted: true }), { now: ANSWERED_AT }))
      .then(challenge);
  });

  it('waits for no return and declines no absent payer, because the gate may charge all the same', () => {
    given(...hosted)
      .when(recordPayerReturn({ now: inTime }))
      .thenRejected({ reason: 'payer-not-awaited' });
    given(...hosted)
      .when(declineAbsentPayer({ now: addMs(PAYER_DUE_AT, 1), isTimeOver: true }))
      .thenRejected({ reason: 'payer-not-awaited' });
  });

  it.each([
    ['approved', gateAnswers.approved(), approved({ answeredAt: inTime })],
    ['declined', gateAnswers.declined(), declined({ answeredAt: inTime })],
  ])('is %s as the gate says when asked', (_, answer, event) => {
    given(...hosted)
      .when(record(answer, { now: inTime }))
      .then(event);
  });

  it('was charged nothing where the gate says so when asked, and not by a late answer to the request that it had accepted', () => {
    given(...hosted)
      .when(record(gateAnswers.notAsked(), { now: inTime, judgedSentAt: STARTED_AT }))
      .then(notAsked({ answeredAt: inTime }));
    given(...hosted)
      .when(record(gateAnswers.notAsked(), { now: inTime }))
      .thenRejected(NOTHING_NEW);
  });

  it.each([gateAnswers.unknown(), gateAnswers.payerNeeded({ isHosted: true })])(
    'stays as it is by an answer that decides nothing while the payer has time, and is unknown after that: $kind',
    (answer) => {
      given(...hosted)
        .when(record(answer, { now: inTime }))
        .thenRejected(NOTHING_NEW);
      given(...hosted)
        .when(record(answer, { now: PAYER_DUE_AT }))
        .then(unknown({ cause: 'gate-undecided', isCallOver: true, answeredAt: PAYER_DUE_AT }));
    },
  );

  it('is challenged no second time once its outcome is unknown, and takes the gate’s word whenever it comes', () => {
    const late = addMs(PAYER_DUE_AT, 3_600_000);
    given(...overdue)
      .when(record(gateAnswers.payerNeeded({ isHosted: true }), { now: late }))
      .thenRejected(NOTHING_NEW);
    given(...overdue)
      .when(record(gateAnswers.approved(), { now: late }))
      .then(approved({ answeredAt: late }));
  });
});
