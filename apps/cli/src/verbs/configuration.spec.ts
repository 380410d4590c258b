import type { CheckedConfiguration } from '@app/investigation';
import { renderCheck } from './configuration';

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
