import type { Instant } from '@app/kernel';
import { reportIn } from './operator-disputes.controller';
import type { ReportRequest } from './operator-disputes.controller';

const NOW = Date.UTC(2026, 10, 24, 12) as Instant;
const MONEY = { amount: '10.42', currency: 'USD' } as const;
const usd = { minor: 1_042n, currency: 'USD' };
const read = (request: Partial<ReportRequest> & Pick<ReportRequest, 'kind'>) => reportIn({ case: 'CB-1', ...request }, NOW);

describe('a dispute report entered by an operator', () => {
  it.each([
    [read({ kind: 'reversal', ...MONEY }), { kind: 'reversal', amount: usd }],
    [read({ kind: 'chargeback', ...MONEY }), { kind: 'chargeback', amount: usd }],
    [read({ kind: 'chargeback', ...MONEY, stage: 'second' }), { kind: 'chargeback', amount: usd, stage: 'second' }],
    [read({ kind: 'representment', outcome: 'won' }), { kind: 'representment', outcome: 'won' }],
    [read({ kind: 'representment', outcome: 'lost', stage: 'first' }), { kind: 'representment', outcome: 'lost', stage: 'first' }],
    [read({ kind: 'fraud-warning' }), { kind: 'fraud-warning' }],
    [read({ kind: 'fraud-warning', ...MONEY }), { kind: 'fraud-warning', amount: usd }],
  ])('is parsed according to its kind', (actual, expected) => {
    expect(actual).toStrictEqual({ ok: { reportId: 'CB-1', source: 'operator', ...expected } });
  });

  it('keeps the reason code and converts the date to midnight UTC', () => {
    expect(read({ kind: 'fraud-warning', reasonCode: '10.4', date: '2026-11-24' })).toMatchObject({
      ok: { reasonCode: '10.4', happenedAt: Date.UTC(2026, 10, 24) },
    });
  });

  it('has the source file and applies only to the named gate if a gate is given', () => {
    expect(read({ kind: 'fraud-warning', gate: 'sim-a' })).toMatchObject({ ok: { source: 'file', gate: 'sim-a' } });
  });

  it('keeps the last day to contest a chargeback, which may be in the future', () => {
    expect(read({ kind: 'chargeback', ...MONEY, respondBy: '2026-12-24' })).toMatchObject({ ok: { respondBy: Date.UTC(2026, 11, 24) } });
  });

  it.each([
    ['a reversal has no last day to contest it', read({ kind: 'reversal', ...MONEY, respondBy: '2026-12-24' })],
    ['respondBy is not a calendar day', read({ kind: 'chargeback', ...MONEY, respondBy: '2026-02-30' })],
    ['a reversal has an amount', read({ kind: 'reversal' })],
    ['a chargeback has an amount', read({ kind: 'chargeback' })],
    ['amount and currency must be given together', read({ kind: 'chargeback', amount: '1.00' })],
    ['amount and currency must be given together', read({ kind: 'fraud-warning', currency: 'USD' })],
    ['amount must be above zero', read({ kind: 'chargeback', amount: '0.00', currency: 'USD' })],
    ['a representment has an outcome', read({ kind: 'representment' })],
    ['a representment has no amount of its own: it has that of its chargeback', read({ kind: 'representment', outcome: 'won', ...MONEY })],
    ['a reversal has no stage', read({ kind: 'reversal', ...MONEY, stage: 'first' })],
    ['a fraud-warning has no stage', read({ kind: 'fraud-warning', stage: 'first' })],
    ['a chargeback has no outcome', read({ kind: 'chargeback', ...MONEY, outcome: 'won' })],
    ['date is not a calendar day', read({ kind: 'fraud-warning', date: '2026-02-30' })],
    ['date must not be in the future', read({ kind: 'fraud-warning', date: '2026-11-26' })],
  ])('is rejected: %s', (error, actual) => {
    expect(actual).toStrictEqual({ error });
  });
});
