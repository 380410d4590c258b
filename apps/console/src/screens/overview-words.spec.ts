import type { Schemas } from '../port';
import { countOf, failingByReason, outcomesByMinute } from './overview-words';

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

it('adds the unknown and pending calls of all gates to the orders of each minute', () => {
  const [first, second, third] = ['2026-11-29T10:00:00.000Z', '2026-11-29T10:01:00.000Z', '2026-11-29T10:02:00.000Z'] as const;
  const ended = { approved: 1, declined: 0, filtered: 0, error: 0 };
  const calls = [
    { at: second, unknown: 2, pending: 0 },
    { at: third, unknown: 0, pending: 0 },
    { at: first, unknown: 1, pending: 1 },
    { at: second, unknown: 3, pending: 4 },
  ];
  expect(outcomesByMinute([{ at: second, ...ended }], calls)).toEqual([
    { at: first, values: { unknown: 1, pending: 1 } },
    { at: second, values: { ...ended, unknown: 5, pending: 4 } },
  ]);
});

it('marks a count that is a lower bound', () =>
  expect([countOf({ count: 1_200 }), countOf({ count: 10_000, isAtLeast: true })]).toEqual(['1,200', '10,000+']));
