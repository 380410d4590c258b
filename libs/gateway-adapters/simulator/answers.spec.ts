import type { AttemptKey, GateAlias, Instant, MerchantLogin, OrderId } from '@app/kernel';
import type { Transaction } from './ledger/transaction';
import { RETURN_URL, USD } from './testing/charges';
import { chargeAnswer, completionAnswer, inquiryAnswer } from './answers';

const NOW = Date.UTC(2026, 6, 15) as Instant;
const pageUrl = (key: AttemptKey): string => `https://acs.example/${key}`;
/** As read from the ledger: every nullable column is empty. */
const pending: Transaction = {
  gate: 'sim-a' as GateAlias,
  key: 'attempt-1' as AttemptKey,
  operation: 'charge',
  orderId: 'p0sample0order1r' as OrderId,
  merchant: 'acme' as MerchantLogin,
  amount: { minor: 1_000n, currency: USD },
  lastFour: '1111',
  createdAt: NOW,
  state: { status: 'payer-pending' },
};

it.each([
  ['a charge', chargeAnswer],
  ['an inquiry', inquiryAnswer],
])('the answer to %s throws if a pending payer has no return address', (_request, answer) => {
  expect(() => answer(pending, NOW, pageUrl)).toThrow(new Error('attempt attempt-1 waits for a payer who has no return address'));
  expect(answer({ ...pending, payerReturnUrl: RETURN_URL }, NOW, pageUrl)).toMatchObject({
    kind: 'payer-needed',
    page: { action: 'https://acs.example/attempt-1', fields: { TermUrl: RETURN_URL } },
  });
});

it('the answer to a completion throws if the transaction still waits for the payer', () => {
  expect(() => completionAnswer({ ...pending, payerReturnUrl: RETURN_URL }, NOW)).toThrow(
    new Error('attempt attempt-1 was completed and still waits for its payer'),
  );
  expect(completionAnswer({ ...pending, state: { status: 'approved', decidedAt: NOW } }, NOW)).toMatchObject({ kind: 'approved' });
});
