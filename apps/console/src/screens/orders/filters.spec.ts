import { FILTER_NAMES, ordersSearch } from '../orders.search';
import { askedOf, chipsOf, columnsOf, faultsOf, FILTERS, filtersOf, withoutChip, writtenFilters } from './filters';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
const shown = (filters: Parameters<typeof chipsOf>[0]): readonly string[] =>
  chipsOf(filters, 'utc').map(({ label, value }) => plain(`${label}: ${value}`));

it('keeps every filter of the port in the address', () => {
  expect([...FILTER_NAMES].sort()).toEqual(Object.keys(FILTERS).sort());
  const all = Object.fromEntries(FILTER_NAMES.map((name) => [name, 'x']));
  expect(filtersOf(ordersSearch(all))).toEqual(all);
});

describe('chips', () => {
  it('show a filter in words', () => {
    expect(shown({ status: 'chain_declined', lastFour: '1111' })).toEqual(['Status: Declined in chain', 'Last four digits: 1111']);
  });
  it.each([
    [{ amountFrom: '87.10', amountTo: '87.10', currency: 'EUR' }, ['Amount: 87.10 EUR']],
    [{ amountFrom: '10', amountTo: '20', currency: 'EUR' }, ['Amount: 10 to 20 EUR']],
    [{ amountFrom: '10', currency: 'EUR' }, ['Amount: at least 10 EUR']],
    [{ amountTo: '20', currency: 'EUR' }, ['Amount: at most 20 EUR']],
    [{ currency: 'EUR' }, ['Currency: EUR']],
    [{ createdFrom: '2026-11-29T01:00:00Z' }, ['Created: since 2026-11-29 01:00:00 UTC']],
    [{ on: '2026-11-27', zone: 'Europe/Riga' }, ['Around: 2026-11-27 Europe/Riga']],
    [{ on: '2026-11-27' }, ['Around: 2026-11-27 UTC']],
  ])('join what belongs together: %j', (filters, chips) => expect(shown(filters)).toEqual(chips));
  it('are removed with their related filters', () => {
    const filters = { status: 'approved', amountTo: '20', currency: 'EUR', on: '2026-11-27', zone: 'UTC' };
    expect(withoutChip(filters, 'amountTo')).toEqual({ status: 'approved', on: '2026-11-27', zone: 'UTC' });
    expect(withoutChip(filters, 'status')).not.toHaveProperty('status');
  });
});

describe('what a person wrote', () => {
  it('is trimmed, and the currency gets capitals', () => {
    expect(filtersOf(writtenFilters({ currency: ' eur ', merchant: ' ', zone: 'UTC' }))).toEqual({ currency: 'EUR' });
  });
  it.each([
    [{ lastFour: '11' }, { lastFour: 'Four digits.' }],
    [{ amountFrom: '10,5', currency: 'EUR' }, { amountFrom: 'Write it in major units with a dot, such as 87.10.' }],
    [{ amountFrom: '10' }, { currency: 'An amount needs its currency.' }],
    [{ amountFrom: '10', amountTo: '9.99', currency: 'EUR' }, { amountTo: 'It is less than the other end.' }],
    [{ createdFrom: '2026-11-29T01:00:00Z', createdTo: '2026-11-28T01:00:00Z' }, { createdTo: 'It is before the other end.' }],
    [{ amountFrom: '9.9', amountTo: '10', currency: 'EUR', lastFour: '1111', code: '5' }, {}],
  ])('is checked: %j', (filters, faults) => expect(faultsOf(filters)).toEqual(faults));
});

it('asks the port for an amount only with its currency', () => {
  const amount = { amountFrom: '67.90', amountTo: '67.90' };
  expect(askedOf({ ...amount, lastFour: '2822' })).toEqual({ lastFour: '2822' });
  expect(askedOf({ ...amount, currency: 'EUR' })).toEqual({ ...amount, currency: 'EUR' });
});

describe('columns', () => {
  it('come from the address, then from the browser, then from the usual ones', () => {
    expect(columnsOf('gate,status,x', ['rrn'])).toEqual(['status', 'gate']);
    expect(columnsOf(undefined, ['rrn', 'y'])).toEqual(['rrn']);
    expect(columnsOf('x', [])).toContain('amount');
  });
});
