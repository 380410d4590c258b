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
import { attempts } from './attempts';
import type { Attempts } from './attempts.state';

const { given } = deciderSpec(attempts);
const { recordPayerReturn, declineAbsentPayer } = processingCommands;
const { started, challenged, payerReturned, declinedForAbsence } = attemptEvents;

const awaited = [started(), challenged()];
const moments = { before: addMs(PAYER_DUE_AT, -1), at: PAYER_DUE_AT, after: addMs(PAYER_DUE_AT, 1) };

describe("the payer's return and the decline of an absent payer exclude each other", () => {
  it('before the deadline the return is accepted and the decline is refused', () => {
    given(...awaited)
      .when(recordPayerReturn({ now: moments.before }))
      .then(payerReturned({ returnedAt: moments.before }));
    given(...awaited)
      .when(declineAbsentPayer({ now: moments.before }))
      .thenRejected({ reason: 'payer-still-has-time' });
  });

  it.each([moments.at, moments.after])(
    'at the deadline and after it the return is refused and the payer is declined with 110 (%i)',
    (now) => {
      given(...awaited)
        .when(recordPayerReturn({ now }))
        .thenRejected({ reason: 'payer-too-late' });
      given(...awaited)
        .when(declineAbsentPayer({ now }))
        .then(declinedForAbsence(now));
    },
  );

  it('after the return neither a decline for absence nor a second return is accepted', () => {
    const back = [...awaited, payerReturned()];
    given(...back)
      .when(declineAbsentPayer({ now: moments.after }))
      .thenRejected({ reason: 'payer-not-awaited' });
    given(...back)
      .when(recordPayerReturn({ now: moments.before }))
      .thenRejected({ reason: 'payer-not-awaited' });
  });

  it('after the decline for absence neither a return nor a second decline is accepted', () => {
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
    'neither is accepted while the attempt is %s',
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

  it('neither is accepted under the key of another attempt', () => {
    given(...awaited)
      .when(recordPayerReturn({ key: OTHER_KEY }))
      .thenRejected({ reason: 'payer-not-awaited' });
    given(...awaited)
      .when(declineAbsentPayer({ key: OTHER_KEY }))
      .thenRejected({ reason: 'payer-not-awaited' });
  });

  it("counts the gate's flight again from the payer's return, which is when the second leg leaves", () => {
    expect(given(...awaited, payerReturned()).state).toMatchObject({ returnedAt: PAYER_RETURNED_AT, sentAt: PAYER_RETURNED_AT });
  });
});
