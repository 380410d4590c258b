import type { Instant } from './ports';
import { weekdayOf } from './weekday';

describe('weekdayOf', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 'thu'],
    ['1970-01-03T23:59:59.999Z', 'sat'],
    ['1970-01-04T00:00:00Z', 'sun'],
    ['1970-01-05T00:00:00Z', 'mon'],
    ['2024-02-29T12:00:00Z', 'thu'],
    ['2026-11-24T23:59:59.999Z', 'tue'],
  ] as const)('at %s is %s', (at, day) => {
    expect(weekdayOf(Date.parse(at) as Instant)).toBe(day);
  });

  it('throws for a time before 1970', () => {
    expect(() => weekdayOf((-8 * 86_400_000) as Instant)).toThrow('no day of the week');
  });
});
