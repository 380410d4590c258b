import type { AttemptKey, Currency, EndpointId, Instant, MerchantLogin, OrderId } from '@app/kernel';
import type { SentRequest } from '../contract';
import { outcomeOf } from './translation';
import { readAnswer } from './wire';

const SEEN_AT = 1_767_225_600_000 as Instant;
const SENT: SentRequest = {
  key: 'key-1' as AttemptKey,
  orderId: 'p0sample0order1r' as OrderId,
  merchant: 'acme' as MerchantLogin,
  endpointId: '1001' as EndpointId,
  amount: { minor: 1_042n, currency: 'USD' as Currency },
};
const PAYMENT = { reference: 'key-1', id: 'A-1', state: 'approved', amount: '1042', currency: 'USD', authorisationCode: '123456' };

const told = (body: unknown, status = 200) =>
  outcomeOf(readAnswer(status, typeof body === 'string' ? body : JSON.stringify(body)), SENT, SEEN_AT);

const UNRECOGNISED = { kind: 'unknown', cause: 'unrecognised-answer' };

describe('an answer of the template acquirer', () => {
  it('approves with its references and its time', () => {
    expect(told({ ...PAYMENT, processedAt: '2026-01-01T12:00:00Z' })).toStrictEqual({
      kind: 'approved',
      transactionId: 'A-1',
      processedAt: Date.parse('2026-01-01T12:00:00Z'),
      approvalCode: '123456',
    });
  });

  it('declines with the code of its reason, or with 100 for an unknown reason', () => {
    expect(told({ ...PAYMENT, state: 'declined', reason: 'insufficient-funds' })).toMatchObject({ kind: 'declined', code: 116 });
    expect(told({ ...PAYMENT, state: 'declined', reason: 'a-new-one' })).toMatchObject({ kind: 'declined', code: 100 });
  });

  it('is undecided in an unknown state', () => {
    expect(told({ ...PAYMENT, state: 'reviewed' })).toStrictEqual({ kind: 'unknown', cause: 'gate-undecided' });
  });

  it('is not-found only with status 404 and the error unknown-payment', () => {
    expect(told({ error: 'unknown-payment' }, 404)).toStrictEqual({ kind: 'not-found' });
    expect(told('<html>Not Found</html>', 404)).toStrictEqual(UNRECOGNISED);
    expect(told({ error: 'unknown-payment' })).toStrictEqual(UNRECOGNISED);
  });

  it.each<[string, unknown, number]>([
    ['another payment', { ...PAYMENT, reference: 'key-2' }, 200],
    ['another amount', { ...PAYMENT, amount: '1043' }, 200],
    ['another currency', { ...PAYMENT, currency: 'EUR' }, 200],
    ['an amount that is a number', { ...PAYMENT, amount: 1_042 }, 200],
    ['nothing', '', 200],
    ['null', 'null', 200],
    ['a list', '[]', 200],
    ['an approval with the status of a failure', PAYMENT, 500],
  ])('is not recognised if it is %s', (_, body, status) => {
    expect(told(body, status)).toStrictEqual(UNRECOGNISED);
  });
});
