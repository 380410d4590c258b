import { configurationChanges } from './configuration-changes';

it('configurationChanges names rules of approval in words, first, and a list that is only empty', () => {
  const copy = (value: object) => JSON.stringify(value);
  const refund = { from: [{ minor: '10000', currency: 'EUR' }] };
  expect(
    configurationChanges(
      copy({ accounts: { bins: [] }, approvals: { refund, applyConfiguration: { from: [] } }, operators: [] }),
      copy({ accounts: {}, approvals: { refund: { from: [] } }, operators: [{ name: 'kim', role: 'admin' }] }),
    ),
  ).toStrictEqual([
    { field: 'approvals.refund', before: 'from 100.00 EUR', after: 'always' },
    { field: 'operators.kim.name', before: null, after: 'kim' },
    { field: 'operators.kim.role', before: null, after: 'admin' },
    { field: 'approvals.applyConfiguration', before: 'always', after: null },
    { field: 'accounts.bins', before: 'an empty list', after: null },
  ]);
});

it('configurationChanges names added and removed members', () => {
  const copy = (value: object) => JSON.stringify(value);
  expect(
    configurationChanges(copy({ operators: [{ name: 'kim', role: 'admin' }] }), copy({ operators: [{ name: 'joe', role: 'viewer' }] })),
  ).toStrictEqual([
    { field: 'operators.joe.name', before: null, after: 'joe' },
    { field: 'operators.joe.role', before: null, after: 'viewer' },
    { field: 'operators.kim.name', before: 'kim', after: null },
    { field: 'operators.kim.role', before: 'admin', after: null },
  ]);
});
