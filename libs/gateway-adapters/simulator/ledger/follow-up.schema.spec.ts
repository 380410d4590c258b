import type { AttemptKey, GateAlias, Instant, MerchantLogin, OrderId } from '@app/kernel';
import { USD } from '../testing/charges';
import type { FollowUpTransaction } from './transaction';
import { followUpRowOf, followUpTransactionOf } from './follow-up.schema';

const NOW = Date.UTC(2026, 6, 15) as Instant;
const followUp: FollowUpTransaction = {
  gate: 'sim-a' as GateAlias,
  key: 'attempt-2' as AttemptKey,
  original: 'attempt-1' as AttemptKey,
  operation: 'reversal',
  orderId: 'p0sample0order1r' as OrderId,
  merchant: 'acme' as MerchantLogin,
  amount: { minor: 1_000n, currency: USD },
  createdAt: NOW,
  state: { status: 'approved', decidedAt: NOW },
};

it('a follow-up is read from its row unchanged', () => {
  expect(followUpTransactionOf(followUpRowOf(followUp))).toStrictEqual(followUp);
});

it.each(['refused', 'payer-pending'])('a follow-up row with the impossible status %s is rejected', (status) => {
  const row = { ...followUpRowOf(followUp), status };
  expect(() => followUpTransactionOf(row)).toThrow(new Error('follow-up attempt-2 is undecided in the ledger'));
});
