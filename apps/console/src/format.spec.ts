import {
  clockTime,
  count,
  duration,
  fieldOfInstant,
  instant,
  instantOfField,
  minorMoney,
  money,
  personOf,
  plural,
  relative,
} from './format';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

it.each([
  ['87.1', '87.10 EUR'],
  ['87.10', '87.10 EUR'],
  ['0', '0.00 EUR'],
  ['1234567.5', '1,234,567.50 EUR'],
  ['-3.05', '−3.05 EUR'],
  ['90071992547409931.99', '90,071,992,547,409,931.99 EUR'],
  ['not an amount', 'not an amount EUR'],
])('shows the amount %s in major units', (amount, shown) => expect(plain(money(amount, 'EUR'))).toBe(shown));

it.each([
  ['8710', '87.10 EUR'],
  [5n, '0.05 EUR'],
  [-1n, '−0.01 EUR'],
  ['9007199254740993199', '90,071,992,547,409,931.99 EUR'],
])('shows the amount %s in minor units', (minor, shown) => expect(plain(minorMoney(minor, 'EUR'))).toBe(shown));

it('groups the digits of counts', () => expect([count(999), count(1_000), count(1_234_567)]).toEqual(['999', '1,000', '1,234,567']));

it('uses the singular for one only', () =>
  expect([0, 1, 2].map((n) => plain(plural(n, 'order')))).toEqual(['0 orders', '1 order', '2 orders']));

it.each([
  [0, '0 s'],
  [59.6, '1 min'],
  [125, '2 min 5 s'],
  [599.4, '9 min 59 s'],
  [600, '10 min'],
  [753, '12 min'],
  [3_600, '1 h'],
  [3_605, '1 h'],
  [11_133, '3 h 5 min'],
  [277_200, '3 d 5 h'],
])('shows %d seconds in the two largest units, from ten minutes on without seconds', (seconds, shown) =>
  expect(plain(duration(seconds))).toBe(shown),
);

it('shows an instant in UTC, with milliseconds on request', () => {
  expect(plain(instant('2026-11-29T00:16:14.950Z'))).toBe('2026-11-29 00:16:14 UTC');
  expect(plain(instant('2026-11-29T00:16:14.950Z', 'utc', { withMs: true }))).toBe('2026-11-29 00:16:14.950 UTC');
});

it('shows a local instant with its offset', () =>
  expect(plain(instant('2026-11-29T00:16:14.950Z', 'local'))).toMatch(/^2026-11-\d\d \d\d:\d\d:14 [+−]\d\d:\d\d$/));

it('shows a text that is no instant as it came', () => expect([instant('soon'), relative('soon', 0)]).toEqual(['soon', 'soon']));

const NOW = Date.parse('2026-11-29T12:00:00Z');
it.each([
  ['2026-11-29T11:59:57Z', 'now'],
  ['2026-11-29T11:59:30Z', '30 s ago'],
  ['2026-11-29T09:00:01Z', '2 h ago'],
  ['2026-12-02T12:00:00Z', 'in 3 d'],
])('shows %s relative to now', (at, shown) => expect(plain(relative(at, NOW))).toBe(shown));

it('shows the hour and minute of an axis in UTC', () => expect(clockTime('2026-11-29T09:05:59Z', 'utc')).toBe('09:05'));

it('shows operators by their name, and other actors as they are', () =>
  expect([personOf('operator:kim'), personOf('schedule:retention')]).toEqual(['kim', 'schedule:retention']));

describe('a field of time', () => {
  it('is read and shown in UTC', () => {
    expect(instantOfField('2026-11-29T01:02', 'utc')).toBe('2026-11-29T01:02:00.000Z');
    expect(fieldOfInstant('2026-11-29T01:02:03.456Z', 'utc')).toBe('2026-11-29T01:02:03');
  });
  it('is read and shown in local time', () => {
    const iso = '2026-11-29T01:02:03.000Z';
    expect(instantOfField(fieldOfInstant(iso, 'local'), 'local')).toBe(iso);
  });
  it('may be no time', () => {
    expect(instantOfField('', 'utc')).toBeUndefined();
    expect(fieldOfInstant('yesterday', 'utc')).toBe('');
  });
});
