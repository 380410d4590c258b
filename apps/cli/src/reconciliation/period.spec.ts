import { periodOf } from './period';

it.each([
  [{}, {}],
  [{ from: '2026-11-24' }, { from: Date.UTC(2026, 10, 24) }],
  [{ to: '2026-11-24' }, { before: Date.UTC(2026, 10, 25) }],
  [
    { from: '2026-11-24T08:30Z', to: '2026-11-24T08:30:01Z' },
    { from: Date.UTC(2026, 10, 24, 8, 30), before: Date.UTC(2026, 10, 24, 8, 30, 1) },
  ],
])('%j is the period %j', (options, period) => {
  expect(periodOf(options)).toStrictEqual(period);
});

it.each(['24.11.2026', '2026-02-31', '2026-11-24T08:30', '2026-11-24T08:30+01:00', 'yesterday', '2026-13-01'])(
  '%s is no moment',
  (text) => {
    expect(() => periodOf({ from: text })).toThrow('--from is a day or a time in UTC');
    expect(() => periodOf({ to: text })).toThrow('--to is a day or a time in UTC');
  },
);

it('a period begins before it ends', () => {
  expect(() => periodOf({ from: '2026-11-25', to: '2026-11-24' })).toThrow('--from must be before --to');
});
