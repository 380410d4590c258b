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

describe('the upstream gateway’s word to the app', () => {
  it('is an approval with the commission that was held', () => {
    expect(read(APPROVED)).toStrictEqual({
      kind: 'approved',
      transactionId: 'B-1',
      processedAt: SEEN_AT,
      payerAuthentication: 'UNSUPPORTED',
      gateOrderId: '1000000007',
      commission: { minor: 25n, currency: 'USD' },
    });
  });

  it('names the moment of its transaction, and the order where the acquirer has no name for it', () => {
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

  it('is an approval of which no commission is told', () => {
    const answer = read({ ...APPROVED, transaction: { amountCentis: '1042' } });
    expect(answer).toMatchObject({ kind: 'approved' });
    expect(answer).not.toHaveProperty('commission');
  });

  it('is an approval of a verification, which has no sum', () => {
    const { transaction: _transaction, orderId: _orderId, ...verified } = APPROVED;
    expect(read(verified, { ...expected, amount: undefined })).toMatchObject({ kind: 'approved', transactionId: 'B-1' });
  });

  it.each([
    [101, 101],
    ['116', 116],
    [undefined, 100],
    ['no money', 100],
  ])('is a decline by its code: %p', (errorCode, code) => {
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
  ])('is an end without a charge: error %s', (cause, code) => {
    const error = { cause, code: '7', message: '' };
    expect(read({ invoiceId: 'inv-1', error })).toMatchObject({ kind: 'declined', code, transactionId: 'inv-1' });
    expect(read({ invoiceId: 'inv-2', error })).toStrictEqual(UNRECOGNISED);
    expect(read({ error })).toStrictEqual(UNRECOGNISED);
  });

  it('does not know the order, or not any more', () => {
    expect(read({ error: { cause: 'ORDER_NOT_FOUND' } })).toStrictEqual({ kind: 'not-found' });
  });

  it('decides nothing while it has a failure of its own', () => {
    expect(read({ error: { cause: 'INTERNAL_ERROR' } })).toMatchObject({ kind: 'undecided' });
  });

  it('decides nothing while it is processed', () => {
    expect(read({ ...APPROVED, state: 'PROCESSING', bankOrderId: undefined })).toMatchObject({ kind: 'undecided' });
  });

  it('leads the payer to the authentication', () => {
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
    'leads no browser to what is no address for one: %s',
    (redirectUrl) => {
      expect(read({ ...APPROVED, state: 'REDIRECT_REQUEST', redirectUrl })).toMatchObject({ kind: 'undecided' });
    },
  );

  it('waits for the consumer’s choice of a fee', () => {
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
  ])('is no choice that could be offered: %s', (_, members) => {
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
  ])('is not recognised: %s', (_, members) => {
    expect(read({ ...APPROVED, ...members })).toStrictEqual(UNRECOGNISED);
  });

  it.each([
    ['nothing', ''],
    ['a page', '<html>'],
    ['an error that is not known', { error: { cause: 'NEW' } }],
    ['an error without a cause', { error: {} }],
  ])('is not recognised: %s', (_, body) => {
    expect(read(body)).toStrictEqual(UNRECOGNISED);
  });
});
