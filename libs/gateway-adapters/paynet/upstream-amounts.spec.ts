import { parseForm, readAmount, REQUEST_AMOUNT_LENGTH_MAX } from '@app/gateway-protocol';
import { formatAmount, money, Secret, type Currency, type Instant } from '@app/kernel';
import { amountMinor } from '@app/testing/any-amount';
import fc from 'fast-check';
import { laterReport } from './upstream-callbacks';
import { readFollowUpStatus } from './translation/status';
import { makeRebill } from './wire/card-references';
import { amountFollowUp, initialPayment, type UpstreamRequest } from './wire/operations';

const USD = 'USD' as Currency;
const NOW = 1_767_225_600_000 as Instant;
const NUMBER_OF_RUNS = 300;

const statusOf = (amount: string, minor: bigint, more: Readonly<Record<string, string>> = {}) =>
  readFollowUpStatus(
    new Map(Object.entries({ 'merchant-order-id': 'k', status: 'approved', amount, currency: 'USD', ...more })),
    { clientOrderId: 'k', gateOrderId: undefined, amount: money(minor, USD), codes: {} },
    NOW,
  );

/** Readers of amounts from an upstream gateway that writes them like this service. */
const READERS: Readonly<Record<string, (text: string, minor: bigint) => unknown>> = {
  'the status of an order': (text, minor) => (statusOf(text, minor).kind === 'approved' ? minor : undefined),
  'a later report': (text) => {
    const report = laterReport(new Map(Object.entries({ report: 'chargeback', 'report-id': 'C-1', amount: text, currency: 'USD' })));
    return report?.kind === 'chargeback' ? report.amount.minor : undefined;
  },
  'a commission': (text) => {
    const outcome = statusOf('1.00', 100n, { 'transaction-type': 'transfer', 'seller-commission': text });
    return outcome.kind === 'approved' ? outcome.commission?.minor : outcome;
  },
};

it.each(Object.entries(READERS))('%s: reads every amount that a merchant may send', (_reader, read) => {
  fc.assert(
    fc.property(amountMinor, (minor) => {
      expect(read(formatAmount(minor), minor)).toBe(minor);
    }),
    { numRuns: NUMBER_OF_RUNS },
  );
});

describe('a request to an upstream gateway', () => {
  const account = { login: 'acme', controlKey: new Secret('00'.repeat(16)), entryPoint: { kind: 'endpoint', id: '1' } } as const;
  const order = { clientOrderId: 'o-1', orderId: '1000000001' };
  const initial = { clientOrderId: 'o-1', email: undefined, others: [] };
  const rebill = { clientOrderId: 'o-1', cardRefId: 'c', description: 'd', others: [] };
  const WRITERS: Readonly<Record<string, (minor: bigint) => UpstreamRequest>> = {
    sale: (minor) => initialPayment(account, 'sale', initial, money(minor, USD)),
    'make-rebill-sale': (minor) => makeRebill(account, 'sale', { ...rebill, amount: money(minor, USD) }, 'with-endpoint'),
    capture: (minor) => amountFollowUp(account, 'capture', order, money(minor, USD), undefined),
  };
  const requested = amountMinor.filter(
    (minor) => minor < 1_000_000_000n || (minor % 10n === 0n && minor < 10_000_000_000n) || minor % 100n === 0n,
  );

  it.each(Object.entries(WRITERS))('%s writes every allowed amount within ten characters', (_operation, write) => {
    fc.assert(
      fc.property(requested, (minor) => {
        const sent = parseForm(Buffer.from(write(minor).body));
        if ('refused' in sent) throw new Error(sent.refused.message);
        expect(sent.ok.text('amount').length).toBeLessThanOrEqual(REQUEST_AMOUNT_LENGTH_MAX);
        expect(readAmount(sent.ok)).toStrictEqual({ ok: minor });
      }),
      { numRuns: NUMBER_OF_RUNS },
    );
  });
});
