import type { Currency, Instant } from '@app/kernel';
import type { NumberedLine, OwnTransaction } from '../domain/compare';

export const AT = 1_767_225_600_000 as Instant;
export const ORDER = { stream: 'payment-1', orderId: 'p0sample0order1r', merchant: 'acme' };

export const own = (change: Partial<OwnTransaction> = {}): OwnTransaction => ({
  key: 'key-1',
  original: 'key-1',
  followUp: null,
  operation: 'sale',
  gate: 'gate-a',
  amountMinor: '1042',
  currency: 'USD',
  status: 'approved',
  askedAt: AT,
  answeredAt: AT,
  processedAt: AT,
  commissionMinor: null,
  gateOrderId: null,
  rrn: null,
  ...change,
});

export const line = (change: Partial<NumberedLine> = {}): NumberedLine => ({
  line: 2,
  original: 'key-1',
  reference: 'reference-1',
  operation: 'sale',
  status: 'approved',
  amount: { minor: 1_042n, currency: 'USD' as Currency },
  processedAt: AT,
  ...change,
});
