import { addMs } from '@app/kernel';
import {
  ATTEMPT_HISTORIES,
  attemptEvents,
  deciderSpec,
  OTHER_KEY,
  PAYER_DUE_AT,
  PAYER_RETURNED_AT,
  processingCommands,
} from '@app/testing';
import { attempts, type Attempts } from './attempts';

const { given } = deciderSpec(attempts);
const { recordPayerReturn, declineAbsentPayer } = processingCommands;
const { started, challenged, payerReturned, declinedForAbsence } = attemptEvents;

const awaited = [started(), challenged()];
const moments = { before: addMs(PAYER_DUE_AT, -1), at: PAYER_DUE_AT, after: addMs(PAYER_DUE_AT, 1) };

describe("the payer's return and the decline of an absent payer exclude each other", () => {
  it('before the deadline the payer is let in and nobody is declined', () => {
    given(...awaited)
      .when(recordPayerReturn({ now: moments.before }))
      .then(payerReturned({ returnedAt: moments.before }));
    given(...awaited)
      .when(declineAbsentPayer({ now: moments.before }))
      .thenRejected({ reason: 'payer-still-has-time' });
  });

  it.each([moments.at, moments.after])('at the deadline and after it the payer is too late and declined with 110 (%i)', (now) => {
    given(...awaited)
      .when(recordPayerReturn({ now }))
      .thenRejected({ reason: 'payer-too-late' });
    given(...awaited)
      .when(declineAbsentPayer({ now }))
      .then(declinedForAbsence(now));
  });

  it('a payer who is back is not declined for absence, and does not come back twice', () => {
    const back = [...awaited, payerReturned()];
    given(...back)
      .when(declineAbsentPayer({ now: moments.after }))
      .thenRejected({ reason: 'payer-not-awaited' });
    given(...back)
      .when(recordPayerReturn({ now: moments.before }))
      .thenRejected({ reason: 'payer-not-awaited' });
  });

  it('a payer who was declined for absence does not come back, and is not declined twice', () => {
    const absent = [...awaited, declinedForAbsence()];
    given(...absent)
      .when(recordPayerReturn({ now: moments.before }))
      .thenRejected({ reason: 'payer-not-awaited' });
    given(...absent)
      .when(declineAbsentPayer({ now: moments.after }))
      .thenRejected({ reason: 'payer-not-awaited' });
    expect(given(...absent).state).not.toHaveProperty('receipt');
  });

  it.each((Object.keys(ATTEMPT_HISTORIES) as Attempts['status'][]).filter((status) => status !== 'payer-needed'))(
    'nobody waits for the payer of an attempt that is %s',
    (status) => {
      const history = ATTEMPT_HISTORIES[status];
      given(...history)
        .when(recordPayerReturn())
        .thenRejected({ reason: 'payer-not-awaited' });
      given(...history)
        .when(declineAbsentPayer())
        .thenRejected({ reason: 'payer-not-awaited' });
    },
  );

  it('the payer of another attempt is not awaited', () => {
    given(...awaited)
      .when(recordPayerReturn({ key: OTHER_KEY }))
      .thenRejected({ reason: 'payer-not-awaited' });
    given(...awaited)
      .when(declineAbsentPayer({ key: OTHER_KEY }))
      .thenRejected({ reason: 'payer-not-awaited' });
  });

  it("counts the gate's flight anew from the payer's return, which is when the second leg leaves", () => {
    expect(given(...awaited, payerReturned()).state).toMatchObject({ returnedAt: PAYER_RETURNED_AT, sentAt: PAYER_RETURNED_AT });
  });
});
