import { isLaterReport, laterReport } from '../upstream-callbacks';

const MEMBERS = {
  status: 'approved',
  'paynet-order-id': '1000000007',
  type: 'chargeback',
  amount: '7.00',
  currency: 'USD',
  report: 'chargeback',
  'report-id': 'CB-1',
};
const told = (members: Readonly<Record<string, string | undefined>>) =>
  laterReport(new Map(Object.entries({ ...MEMBERS, ...members }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))));
const usd = { minor: 700n, currency: 'USD' };

describe('laterReport', () => {
  it.each([
    [{}, { kind: 'chargeback', reportId: 'CB-1', amount: usd }],
    [
      { 'report-stage': 'second', 'reason-code': '10.4' },
      { kind: 'chargeback', reportId: 'CB-1', amount: usd, stage: 'second', reasonCode: '10.4' },
    ],
    [
      { report: 'reversal', type: 'reversal' },
      { kind: 'reversal', reportId: 'CB-1', amount: usd },
    ],
    [
      { report: 'reversal', type: 'cancel' },
      { kind: 'reversal', reportId: 'CB-1', amount: usd },
    ],
    [
      { report: 'representment_won', status: 'declined', 'report-stage': 'first' },
      { kind: 'representment', outcome: 'won', reportId: 'CB-1', stage: 'first' },
    ],
    [{ report: 'representment_lost' }, { kind: 'representment', outcome: 'lost', reportId: 'CB-1' }],
    [
      { report: 'fraud_warning', type: 'fraud_warning' },
      { kind: 'fraud-warning', reportId: 'CB-1', amount: usd },
    ],
    [
      { report: 'fraud_warning', amount: undefined, currency: undefined },
      { kind: 'fraud-warning', reportId: 'CB-1' },
    ],
    [{ 'reason-code': 'x'.repeat(17) }, { kind: 'chargeback', reportId: 'CB-1', amount: usd }],
  ])('reads the members %j', (members, expected) => {
    expect(told(members)).toStrictEqual(expected);
  });

  it('returns a chargeback by its type if the callback has no report member, with the gate’s order id', () => {
    expect(told({ report: undefined, 'report-id': undefined })).toStrictEqual({ kind: 'chargeback', reportId: '1000000007', amount: usd });
    expect(told({ report: undefined, status: 'declined' })).toBeUndefined();
  });

  it.each([
    ['an unknown word', { report: 'retrieval_request' }],
    ['no case', { 'report-id': undefined }],
    ['a case with a blank', { 'report-id': 'CB 1' }],
    ['a case that is too long', { 'report-id': 'x'.repeat(65) }],
    ['an unknown stage', { 'report-stage': 'third' }],
    ['no sum', { amount: undefined }],
    ['no money', { amount: '0.00' }],
    ['an invalid sum', { amount: '7,00' }],
    ['no currency', { currency: undefined }],
    ['an invalid currency', { currency: 'usd' }],
  ])('returns undefined for %s', (_, members) => {
    expect(told(members)).toBeUndefined();
  });
});

it.each([
  [{ type: 'chargeback', status: 'approved' }, true],
  [{ type: 'reversal', status: 'approved', report: 'reversal' }, true],
  [{ type: 'fraud_warning', status: 'approved', report: 'anything' }, true],
  [{ type: 'chargeback', status: 'declined' }, false],
  [{ type: 'reversal', status: 'approved' }, false],
  [{ type: 'sale', status: 'approved' }, false],
])('isLaterReport for a callback with %j is %s', (members, expected) => {
  expect(isLaterReport(new Map(Object.entries(members)))).toBe(expected);
});
