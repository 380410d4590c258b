import fc from 'fast-check';
import { webAddress } from '@app/testing/any-text';
import type { AttemptKey, Currency, GateAlias, Instant, MerchantLogin, OrderId } from '@app/kernel';
import type { PayerAuthentication, RebillMeans } from '../../contract';
import { rowOf, transactionOf, TRANSACTION_COLUMNS } from './ledger.schema';
import type { CardOperation, TransactionState, Transaction } from './transaction';

const instant = fc.nat({ max: 4_102_444_800_000 }).map((ms) => ms as Instant);
const authentication = fc.constantFrom<PayerAuthentication>('AUTHENTICATED', 'NOT_AUTHENTICATED', 'UNSUPPORTED', 'UNKNOWN');
const decided = { decidedAt: instant, knownFrom: instant, payerAuthentication: authentication };
const requiredKeys: ['decidedAt', 'status'] = ['decidedAt', 'status'];
const state: fc.Arbitrary<TransactionState> = fc.oneof(
  fc.constantFrom<TransactionState>({ status: 'refused' }, { status: 'payer-pending' }),
  fc.record({ status: fc.constant('approved' as const), ...decided }, { requiredKeys }),
  fc.record(
    { status: fc.constant('declined' as const), code: fc.integer({ min: 100, max: 999 }), ...decided },
    { requiredKeys: [...requiredKeys, 'code'] },
  ),
);
const transaction: fc.Arbitrary<Transaction> = fc.record(
  {
    gate: fc.stringMatching(/^[a-z0-9-]{1,64}$/).map((text) => text as GateAlias),
    key: fc.uuid().map((text) => text as AttemptKey),
    operation: fc.constantFrom<CardOperation>('charge', 'authorise', 'verify', 'transfer'),
    orderId: fc.stringMatching(/^p[a-z]{14}r$/).map((text) => text as OrderId),
    merchant: fc.constant('acme' as MerchantLogin),
    amount: fc.record({ minor: fc.bigInt({ min: 1n, max: 10n ** 40n }), currency: fc.constant('USD' as Currency) }),
    lastFour: fc.stringMatching(/^\d{4}$/),
    chargedBy: fc.constantFrom<RebillMeans>('token', 'network-transaction'),
    destinationLastFour: fc.stringMatching(/^\d{4}$/),
    commissionMinor: fc.bigInt({ min: 0n, max: 10n ** 40n }),
    randomSumMinor: fc.bigInt({ min: 100n, max: 199n }),
    createdAt: instant,
    payerReturnUrl: webAddress,
    state,
  },
  { requiredKeys: ['gate', 'key', 'operation', 'orderId', 'merchant', 'amount', 'lastFour', 'createdAt', 'state'] },
);

describe('a transaction in the ledger', () => {
  it('is read from its row unchanged, with exact minor units', () => {
    fc.assert(
      fc.property(transaction, (written) => {
        const row = rowOf(written);
        expect(Object.keys(row).sort()).toEqual([...TRANSACTION_COLUMNS].sort());
        expect(transactionOf(row)).toEqual(written);
      }),
    );
  });

  it('is rejected if its row has an impossible state', () => {
    fc.assert(
      fc.property(transaction, (written) => {
        const row = { ...rowOf(written), status: 'chargeback', decided_at: 1 };
        expect(() => transactionOf(row)).toThrow('which no transaction can have');
        expect(() => transactionOf({ ...row, status: 'approved', decided_at: null })).toThrow('with no time');
        expect(() => transactionOf({ ...row, status: 'declined', decline_code: null })).toThrow('which no transaction can have');
      }),
    );
  });
});
