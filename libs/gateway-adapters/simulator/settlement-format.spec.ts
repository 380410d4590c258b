import type { AttemptKey, Currency, GateAlias, Instant, MerchantLogin, OrderId } from '@app/kernel';
import type { FollowUpTransaction, Transaction } from './ledger/transaction';
import { settlementFormat, settlementRows } from './settlement-format';

const GATE = 'sim-a' as GateAlias;
const AT = 1_767_225_600_123 as Instant;
const shared = {
  gate: GATE,
  orderId: 'p0sample0order1r' as OrderId,
  merchant: 'acme' as MerchantLogin,
  amount: { minor: 1_042n, currency: 'USD' as Currency },
  createdAt: AT,
};
const charge = (key: string, change: Partial<Transaction> = {}): Transaction => ({
  ...shared,
  key: key as AttemptKey,
  operation: 'charge',
  lastFour: '1111',
  state: { status: 'approved', decidedAt: AT },
  ...change,
});
const refund: FollowUpTransaction = {
  ...shared,
  key: 'key-9' as AttemptKey,
  original: 'key-1' as AttemptKey,
  operation: 'reversal',
  state: { status: 'declined', code: 100, decidedAt: AT },
};

it('the settlement file of the ledger contains the gate’s final and pending transactions', () => {
  const transactions = [
    charge('key-1', { commissionMinor: 10n, operation: 'transfer' }),
    charge('key-2', { state: { status: 'declined', code: 100, decidedAt: AT }, commissionMinor: 10n }),
    charge('key-3', { state: { status: 'payer-pending' } }),
    charge('key-4', { state: { status: 'refused' } }),
    charge('key-5', { gate: 'sim-b' as GateAlias }),
  ];
  const [header, ...rows] = settlementRows({ transactions: () => transactions, followUps: () => [refund] }, GATE);
  expect(header).toStrictEqual(settlementFormat.columns);
  const said = { amount: shared.amount, processedAt: AT, rrn: expect.any(String) as string };
  expect(rows.map((row) => settlementFormat.read(row))).toStrictEqual([
    { ...said, original: 'key-1', reference: 'key-1', operation: 'transfer', status: 'approved', commissionMinor: 10n },
    { ...said, original: 'key-2', reference: 'key-2', operation: 'sale', status: 'declined' },
    { ...said, original: 'key-3', reference: 'key-3', operation: 'sale', status: 'open' },
    { ...said, original: 'key-1', key: 'key-9', reference: 'key-9', operation: 'return', status: 'declined' },
  ]);
});

const GOOD = ['key-1', 'key-1', 'charge', 'approved', '10.42', 'USD', '', '2026-01-01T00:00:00.000Z', 'p0', '123'];
it.each(
  ['key', 'original', 'operation', 'status', 'amount', 'currency', 'commission', 'processed_at', 'order_id', 'rrn'].map(
    (column, index) => [column, index] as const,
  ),
)('an invalid %s is a fault that names the column', (column, index) => {
  expect(settlementFormat.read(GOOD)).not.toHaveProperty('must');
  expect(settlementFormat.read(GOOD.with(index, 'é ?'))).toMatchObject({ column, ...(column !== 'original' && { original: 'key-1' }) });
});
