import type { Schemas } from '../port';
import { countOf, failingByReason } from './overview-words';

const delivery = (changes: Partial<Schemas['ListedDelivery']>): Schemas['ListedDelivery'] => ({
  orderId: '1000000001',
  merchant: 'acme',
  deliveryId: 'w:callback',
  target: 'callback',
  status: 'waiting',
  attempts: 2,
  lastResult: 'HTTP 500',
  firstAttemptAt: '2026-11-29T10:00:00.000Z',
  lastChangeAt: '2026-11-29T10:10:00.000Z',
  nextAttemptAt: null,
  ageSeconds: 600,
  ...changes,
});

it('groups failed callbacks by merchant and reason, the largest group first, with its oldest', () => {
  const early = '2026-11-29T08:00:00.000Z';
  expect(
    failingByReason([
      delivery({ merchant: 'other', lastResult: null }),
      delivery({}),
      delivery({ status: 'exhausted', firstAttemptAt: early }),
      delivery({ lastResult: 'timeout' }),
    ]),
  ).toEqual([
    { merchant: 'acme', reason: 'HTTP 500', count: 2, exhausted: 1, since: early },
    { merchant: 'other', reason: 'no attempt yet', count: 1, exhausted: 0, since: '2026-11-29T10:00:00.000Z' },
    { merchant: 'acme', reason: 'timeout', count: 1, exhausted: 0, since: '2026-11-29T10:00:00.000Z' },
  ]);
});

it('marks a count that is a lower bound', () =>
  expect([countOf({ count: 1_200 }), countOf({ count: 10_000, isAtLeast: true })]).toEqual(['1,200', '10,000+']));
