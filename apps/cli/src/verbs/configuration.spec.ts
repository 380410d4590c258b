import type { CheckedConfiguration } from '@app/investigation';
import { forecastRows, renderCheck, renderForecast } from './configuration';

const checked: CheckedConfiguration = {
  digest: 'd-2',
  inForce: 'd-1',
  changes: [{ field: 'accounts.merchants.acme.endpoints.1001.maxAmountMinor', before: '1000', after: null }],
  changeCount: 3,
  needsRestart: ['egress: needs a restart'],
  faults: [],
};

it('renderCheck names each change, the number of those left out, and what needs a restart', () => {
  expect(renderCheck(checked)).toStrictEqual([
    'file d-2',
    '  accounts.merchants.acme.endpoints.1001.maxAmountMinor: 1000 becomes nothing',
    '  and 2 more changes',
    '  not without a restart: egress: needs a restart',
  ]);
  expect(renderCheck({ ...checked, changes: [], changeCount: 0 })).toStrictEqual(['the file is in force: d-2']);
  const { digest: _digest, ...faulty } = checked;
  expect(renderCheck({ ...faulty, faults: ['gates: is empty'] })).toStrictEqual(['the file has faults:', '  gates: is empty']);
});

it('renderForecast sets the expected shares of gates and outcomes against the seen ones', () => {
  const ends = [
    { outcome: 'approved', gate: 'sim-b', was: 0, would: 60 },
    { outcome: 'declined', gate: null, was: 10, would: 40 },
    { outcome: 'unknown', gate: null, was: 0, would: 100 },
  ] as const;
  const seen = [
    { outcome: 'approved', gate: 'sim-b', was: 1, would: 0 },
    { outcome: 'approved', gate: 'sim-a', was: 1, would: 2 },
  ] as const;
  const forecast = {
    digest: 'd-2',
    appliedAt: '2026-11-01T00:00:00.000Z',
    replacedAt: null,
    whatIfId: 'w-1',
    whatIfDigest: 'd-3',
    expected: { from: null, before: null, endpoints: [], ends },
  };
  expect(renderForecast(forecast, forecastRows(ends, seen))).toStrictEqual([
    'configuration d-2, applied 2026-11-01T00:00:00.000Z',
    'expected by what-if w-1 of past orders; seen of the orders accepted since',
    '  approved by sim-b             expected  60.0 % (60)  seen  50.0 % (1)',
    '  declined                      expected  40.0 % (40)  seen   0.0 % (0)',
    '  unknown                       expected  50.0 % (100)  seen   0.0 % (0)',
    '  approved by sim-a             expected   0.0 % (0)  seen  50.0 % (1)',
    'shares are of the orders with a known end, the share of unknown of all',
  ]);
});
