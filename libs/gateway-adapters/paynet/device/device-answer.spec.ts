import fc from 'fast-check';
import { readDeviceAnswer } from './device-answer';

const read = (body: unknown) => readDeviceAnswer(typeof body === 'string' ? body : JSON.stringify(body));

const TRANSFER = {
  invoiceId: 'inv-1',
  session: { token: 'tok-1' },
  state: 'TRANSFER_FEE_REQUEST',
  orderId: '1000000007',
  transaction: { amountCentis: 1_042, currency: 'USD', commissionCentis: 10 },
  transferFeeList: [{ assignedId: 'gate-a', commissionCentis: 100, currency: 'USD' }],
};

const OUTCOME = { errorCode: 116, secure3DAuthStatus: 'AUTHENTICATED' };

describe('readDeviceAnswer', () => {
  it('reads every member', () => {
    expect(read({ ...TRANSFER, bankOrderId: 'B-1', redirectUrl: 'https://u.example/1', ...OUTCOME })).toStrictEqual({
      invoiceId: 'inv-1',
      token: 'tok-1',
      state: 'TRANSFER_FEE_REQUEST',
      bankOrderId: 'B-1',
      orderId: '1000000007',
      redirectUrl: 'https://u.example/1',
      errorCode: 116,
      payerAuthentication: 'AUTHENTICATED',
      createdAt: undefined,
      amountCentis: 1_042n,
      currency: 'USD',
      commissionCentis: 10n,
      fees: [{ assignedId: 'gate-a', commissionCentis: 100n, currency: 'USD' }],
      error: undefined,
    });
  });

  it('accepts ids as numbers and amounts as digit strings', () => {
    const { transaction } = TRANSFER;
    expect(read({ ...TRANSFER, orderId: 1_000_000_007, transaction: { ...transaction, amountCentis: '1042' } })).toMatchObject({
      orderId: '1000000007',
      amountCentis: 1_042n,
    });
  });

  it('ignores white space and newlines around the JSON', () => {
    expect(read('\r\n {"invoiceId":"inv-1"}\n')).toMatchObject({ invoiceId: 'inv-1' });
  });

  it.each([
    ['a whole body', { invoiceId: 'inv-1', error: { cause: 'INVALID_REQUEST', code: '42', message: 'no' } }, 'INVALID_REQUEST'],
    ['a code that is a number', { error: { cause: 'INTERNAL_ERROR', code: 42 } }, 'INTERNAL_ERROR'],
    ['no cause', { error: {} }, undefined],
    ['no object', { error: 'INTERNAL_ERROR' }, undefined],
  ])('reads an error with %s', (_, body, cause) => {
    expect(read(body)?.error).toStrictEqual({ cause });
  });

  it.each([
    ['a sum below zero', { ...TRANSFER, transaction: { amountCentis: -1 } }],
    ['a sum with a fraction', { ...TRANSFER, transaction: { amountCentis: 10.5 } }],
    ['a sum that is text', { ...TRANSFER, transaction: { amountCentis: '10.42' } }],
    ['no transaction', { ...TRANSFER, transaction: null }],
    ['a transaction that is a list', { ...TRANSFER, transaction: [] }],
  ])('returns no amount for %s', (_, body) => {
    expect(read(body)?.amountCentis).toBeUndefined();
  });

  it.each([
    ['no list', undefined],
    ['an empty list', []],
    ['a fee without an id', [{ commissionCentis: 1, currency: 'USD' }]],
    ['a fee without a sum', [{ assignedId: 'a', currency: 'USD' }]],
    ['a fee without a currency', [{ assignedId: 'a', commissionCentis: 1 }]],
    ['a list beside a fee', [...TRANSFER.transferFeeList, []]],
    ['more than a list may hold', Array.from({ length: 101 }, () => TRANSFER.transferFeeList[0])],
  ])('returns no fees for %s', (_, transferFeeList) => {
    expect(read({ ...TRANSFER, transferFeeList })?.fees).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['a page', '<html>Forbidden</html>'],
    ['a form', 'type=status-response&status=approved'],
    ['JSON that is cut off', '{"invoiceId":"inv-1","sta'],
    ['a list', '[]'],
    ['a text', '"APPROVED"'],
    ['a member twice', '{"state":"DECLINED","state":"APPROVED"}'],
    ['a number beyond 2^53', '{"orderId":9007199254740993}'],
    ['more depth than the interface has', `${'{"a":'.repeat(11)}1${'}'.repeat(11)}`],
  ])('returns undefined for %s', (_, body) => {
    expect(read(body)).toBeUndefined();
  });

  it('never throws on arbitrary bytes', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (body) => void readDeviceAnswer(body)));
    fc.assert(fc.property(fc.json(), (body) => void readDeviceAnswer(body)));
  });
});
