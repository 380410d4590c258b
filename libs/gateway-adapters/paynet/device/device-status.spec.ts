import type { Currency, Instant } from '@app/kernel';
import { readDeviceAnswer } from './device-answer';
import { readDeviceStatus, type ExpectedDevice } from './device-status';

const SEEN_AT = 1_704_067_200_000 as Instant;
const expected: ExpectedDevice = {
  invoiceId: 'inv-1',
  token: 'tok-1',
  amount: { minor: 1_042n, currency: 'USD' as Currency },
  seenAt: SEEN_AT,
};
const TRANSACTION = { amountCentis: 1_042, currency: 'USD', commissionCentis: 25 };
const APPROVED = {
  invoiceId: 'inv-1',
  session: { token: 'tok-1' },
  state: 'APPROVED',
  bankOrderId: 'B-1',
  orderId: '1000000007',
  secure3DAuthStatus: 'UNSUPPORTED',
  transaction: TRANSACTION,
};
const UNRECOGNISED = { kind: 'unknown', cause: 'unrecognised-answer' };
const read = (body: object | string, about = expected) =>
  readDeviceStatus(readDeviceAnswer(typeof body === 'string' ? body : JSON.stringify(body)), about);

describe('readDeviceStatus', () => {
  it('returns an approval with the commission', () => {
    expect(read(APPROVED)).toStrictEqual({
      kind: 'approved',
      transactionId: 'B-1',
      processedAt: SEEN_AT,
      payerAuthentication: 'UNSUPPORTED',
      gateOrderId: '1000000007',
      commission: { minor: 25n, currency: 'USD' },
    });
  });

  it('uses the transaction date, and the gate’s order id if there is no acquirer id', () => {
    const transaction = { ...TRANSACTION, transactionCreatedDate: '2024-01-02 03:04:05 UTC' };
    const processedAt = Date.parse('2024-01-02T03:04:05Z');
    const said = { ...APPROVED, transaction, bankOrderId: '', secure3DAuthStatus: 'MAYBE' };
    expect(read(said)).toStrictEqual({
      kind: 'approved',
      transactionId: '1000000007',
      processedAt,
      gateOrderId: '1000000007',
      commission: { minor: 25n, currency: 'USD' },
    });
  });

  it('returns an approval without a commission if the answer has none', () => {
    const answer = read({ ...APPROVED, transaction: { amountCentis: '1042' } });
    expect(answer).toMatchObject({ kind: 'approved' });
    expect(answer).not.toHaveProperty('commission');
  });

  it('returns an approval of a verification, which has no amount', () => {
    const { transaction: _transaction, orderId: _orderId, ...verified } = APPROVED;
    expect(read(verified, { ...expected, amount: undefined })).toMatchObject({ kind: 'approved', transactionId: 'B-1' });
  });

  it.each([
    [101, 101],
    ['116', 116],
    [undefined, 100],
    ['no money', 100],
  ])('returns a decline with the error code %p, or 100 if it is not a number', (errorCode, code) => {
    const said = { ...APPROVED, state: 'DECLINED', errorCode, secure3DAuthStatus: 'NOT_AUTHENTICATED' };
    expect(read(said)).toStrictEqual({
      kind: 'declined',
      code,
      transactionId: 'B-1',
      processedAt: SEEN_AT,
      payerAuthentication: 'NOT_AUTHENTICATED',
      gateOrderId: '1000000007',
    });
  });

  it.each([
    ['FILTERED', 120],
    ['PROCESSING_FAILED', 100],
  ])('returns a decline without a charge for error %s of this invoice', (cause, code) => {
    const error = { cause, code: '7', message: '' };
    expect(read({ invoiceId: 'inv-1', error })).toMatchObject({ kind: 'declined', code, transactionId: 'inv-1' });
    expect(read({ invoiceId: 'inv-2', error })).toStrictEqual(UNRECOGNISED);
    expect(read({ error })).toStrictEqual(UNRECOGNISED);
  });

  it('returns not-found for ORDER_NOT_FOUND', () => {
    expect(read({ error: { cause: 'ORDER_NOT_FOUND' } })).toStrictEqual({ kind: 'not-found' });
  });

  it('returns undecided for an internal error', () => {
    expect(read({ error: { cause: 'INTERNAL_ERROR' } })).toMatchObject({ kind: 'undecided' });
  });

  it('returns undecided during processing', () => {
    expect(read({ ...APPROVED, state: 'PROCESSING', bankOrderId: undefined })).toMatchObject({ kind: 'undecided' });
  });

  it('returns payer-needed with the address of the authentication page', () => {
    const redirect = { ...APPROVED, state: 'REDIRECT_REQUEST', bankOrderId: undefined, redirectUrl: 'https://u.example/p/1?a=b' };
    expect(read(redirect)).toStrictEqual({
      kind: 'payer-needed',
      page: { address: 'https://u.example/p/1?a=b' },
      transactionId: '1000000007',
      isHosted: true,
    });
    expect(read({ ...redirect, orderId: undefined })).toMatchObject({ transactionId: 'inv-1' });
  });

  it.each([undefined, 'javascript:alert(1)', 'https://user:word@u.example/', '//u.example', `https://u.example/${'a'.repeat(2_048)}`])(
    'returns undecided if the redirect address is not a web address: %s',
    (redirectUrl) => {
      expect(read({ ...APPROVED, state: 'REDIRECT_REQUEST', redirectUrl })).toMatchObject({ kind: 'undecided' });
    },
  );

  it('returns choice-awaited with the fees to choose from', () => {
    const transferFeeList = [
      { assignedId: 'gate-a', commissionCentis: 100, currency: 'USD' },
      { assignedId: 'gate-b', commissionCentis: 200, currency: 'USD' },
    ];
    expect(read({ ...APPROVED, state: 'TRANSFER_FEE_REQUEST', transferFeeList })).toStrictEqual({
      kind: 'choice-awaited',
      fees: transferFeeList.map(({ commissionCentis, ...fee }) => ({ ...fee, commissionCentis: BigInt(commissionCentis) })),
    });
  });

  it.each([
    ['without fees', {}],
    ['in another currency', { transferFeeList: [{ assignedId: 'gate-a', commissionCentis: 100, currency: 'EUR' }] }],
  ])('does not recognise a fee choice %s', (_, members) => {
    expect(read({ ...APPROVED, state: 'TRANSFER_FEE_REQUEST', ...members })).toStrictEqual(UNRECOGNISED);
  });

  it.each([
    ['of another invoice', { invoiceId: 'inv-2' }],
    ['without an invoice', { invoiceId: undefined }],
    ['of another session', { session: { token: 'tok-2' } }],
    ['of another sum', { transaction: { ...TRANSACTION, amountCentis: 1_043 } }],
    ['without a sum', { transaction: {} }],
    ['of another currency', { transaction: { ...TRANSACTION, currency: 'EUR' } }],
    ['of a state that is not known', { state: 'REVERSED' }],
    ['without a state', { state: undefined }],
  ])('does not recognise an approval %s', (_, members) => {
    expect(read({ ...APPROVED, ...members })).toStrictEqual(UNRECOGNISED);
  });

  it.each([
    ['nothing', ''],
    ['a page', '<html>'],
    ['an error that is not known', { error: { cause: 'NEW' } }],
    ['an error without a cause', { error: {} }],
  ])('does not recognise %s', (_, body) => {
    expect(read(body)).toStrictEqual(UNRECOGNISED);
  });
});
