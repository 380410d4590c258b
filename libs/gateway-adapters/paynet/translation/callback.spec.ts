import type { AttemptKey, Currency, EndpointId, Instant, MerchantLogin, OrderId } from '@app/kernel';
import type { SentFollowUp, SentRequest } from '../../contract';
import type { RefusalCodes } from './status';
import { callbackOutcome, isOfInitialTransaction } from '../upstream-callbacks';

const SEEN_AT = 1_767_225_600_000 as Instant;
const KEY = '6f1e8a60-0000-4000-8000-000000000001' as AttemptKey;
const SENT: SentRequest = {
  key: KEY,
  orderId: 'p0sample0order1r' as OrderId,
  merchant: 'acme' as MerchantLogin,
  endpointId: '1001' as EndpointId,
  amount: { minor: 1_042n, currency: 'USD' as Currency },
  gateOrderId: '1000000007',
};
const MEMBERS = {
  status: 'approved',
  'paynet-order-id': '1000000007',
  'merchant-order-id': KEY,
  type: 'sale',
  amount: '10.42',
  currency: 'USD',
  'approval-code': '123456',
  'processor-tx-id': 'PNTEST-1',
};
const told = (members: Readonly<Record<string, string>>, sent: SentRequest | SentFollowUp = SENT, codes: RefusalCodes = {}) =>
  callbackOutcome(new Map(Object.entries({ ...MEMBERS, ...members })), sent, { codes, seenAt: SEEN_AT });
const UNRECOGNISED = { kind: 'unknown', cause: 'unrecognised-answer' };

describe('an authenticated callback of the upstream gateway', () => {
  it('approves with its references, processed at the time of receipt', () => {
    expect(told({})).toStrictEqual({
      kind: 'approved',
      approvalCode: '123456',
      transactionId: 'PNTEST-1',
      gateOrderId: '1000000007',
      processedAt: SEEN_AT,
    });
  });

  it('declines with its error code, also in the status filtered', () => {
    expect(told({ status: 'declined', 'error-code': '116' })).toMatchObject({ kind: 'declined', code: 116 });
    expect(told({ status: 'filtered', 'error-code': '111' })).toMatchObject({ kind: 'declined', code: 111 });
  });

  it('lets the cascade continue if the gate’s code table maps the code to not-accepted', () => {
    expect(told({ status: 'error', 'error-code': '122' }, SENT, { '122': 'not-accepted' })).toStrictEqual({
      kind: 'not-asked',
      cause: 'unavailable',
    });
  });

  it.each(['processing', 'unknown', 'chargebacked', 'APPROVED', 'approved '])('is undecided in the status %s', (status) => {
    expect(told({ status })).toStrictEqual({ kind: 'unknown', cause: 'gate-undecided' });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['another order', { 'merchant-order-id': 'another' }],
    ['another order of the upstream gateway', { 'paynet-order-id': '1000000008' }],
    ['another amount', { amount: '10.43' }],
    ['another currency', { currency: 'EUR' }],
    ['an invalid amount', { amount: '' }],
  ])('is not recognised if it is about %s', (_, members) => {
    expect(told(members)).toStrictEqual(UNRECOGNISED);
  });

  it('needs no amount for an account verification', () => {
    const { amount: _amount, ...verification } = SENT;
    expect(told({ type: 'account_verification', amount: '' }, verification)).toMatchObject({ kind: 'approved' });
  });

  it('is not recognised for a follow-up, which it does not identify', () => {
    const followUp: SentFollowUp = { ...SENT, amount: { minor: 1_042n, currency: 'USD' as Currency }, original: KEY, operation: 'capture' };
    expect(told({}, followUp)).toStrictEqual(UNRECOGNISED);
  });
});

it.each([
  ['sale', true],
  ['preauth', true],
  ['account_verification', true],
  ['transfer', true],
  ['capture', false],
  ['reversal', false],
  ['void', false],
  ['chargeback', false],
  ['', false],
])('isOfInitialTransaction for a callback of type %s is %s', (type, isInitial) => {
  expect(isOfInitialTransaction(new Map([['type', type]]))).toBe(isInitial);
});
