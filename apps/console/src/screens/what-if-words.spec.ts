import { changeText, endText, faultsOf, lengthsOf } from './what-if-words';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

it('gives each fault of the rules its line', () =>
  expect(
    faultsOf(
      'line 5, merchants[0].endpoints[0].gates[0]: is not a gate; or so; line 6, merchants[0].endpoints[1]: must have one of gates, screening and routing',
    ),
  ).toEqual([
    { line: 5, text: 'merchants[0].endpoints[0].gates[0]: is not a gate; or so' },
    { line: 6, text: 'merchants[0].endpoints[1]: must have one of gates, screening and routing' },
  ]));

it('reads the place of a fault of syntax, and a fault without a place', () => {
  expect(faultsOf('line 2, column 4: the indentation is wrong')).toEqual([{ line: 2, text: 'column 4: the indentation is wrong' }]);
  expect(faultsOf('rules: must be a mapping')).toEqual([{ line: undefined, text: 'rules: must be a mapping' }]);
});

it('tells the end of an order in words', () => {
  expect(plain(endText({ kind: 'approved', amount: '1234.5', gate: 'sim-a' }, 'EUR'))).toBe('Approved 1,234.50 EUR at sim-a');
  expect(endText({ kind: 'refused', status: 'declined', code: 116 }, 'EUR')).toBe('Declined, code 116');
  expect(endText({ kind: 'cannot-know', why: 'gate-never-asked', gate: 'sim-b' }, 'EUR')).toBe(
    'Cannot be known: depends on a gate that the order never asked, sim-b',
  );
});

it.each([
  ['10.00', '8.5', '−1.50 EUR'],
  ['0.00', '0.07', '+0.07 EUR'],
  ['9007199254740993.01', '9007199254740993.02', '+0.01 EUR'],
  ['3.00', '3', 'no change'],
])('gives the change from %s to %s', (was, would, expected) => expect(plain(changeText(was, would, 'EUR'))).toBe(expected));

it('compares lengths within a currency only', () => {
  const row = { by: 'a', orders: 1, notKnown: 0, notKnownWasApproved: '0.00' };
  const euro = { ...row, currency: 'EUR', wasApproved: '10.00', wouldBeApproved: '5.00', notKnownAskedFor: '20.00' };
  const dollar = { ...row, currency: 'USD', wasApproved: '9000.00', wouldBeApproved: '0.00', notKnownAskedFor: '0.00' };
  expect(lengthsOf(euro, [euro, dollar])).toEqual({ was: 50, would: 25, notKnown: 100 });
  expect(lengthsOf(dollar, [euro, dollar])).toEqual({ was: 100, would: 0, notKnown: 0 });
});
