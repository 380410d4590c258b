import * as fc from 'fast-check';
import { calendarDay } from './field-rules';

const FAULT = 'must be a day as YYYYMMDD';
/** The slow reference implementation with `Date`. */
const byDate = (value: string): string | undefined => {
  const iso = `${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6, 8)}`;
  const at = /^\d{8}$/.test(value) ? Date.parse(`${iso}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(iso) ? undefined : FAULT;
};

describe('a calendar day', () => {
  it.each(['20240229', '20000229', '20261231', '00010101'])('%s is valid', (day) => {
    expect(calendarDay(day)).toBeUndefined();
  });

  it.each(['20230229', '19000229', '20260431', '20261301', '20260100', '20260001', '2026010', '202601011', '2026-1-1', ' 0260101', ''])(
    '"%s" is invalid',
    (day) => {
      expect(calendarDay(day)).toBe(FAULT);
    },
  );

  it('is valid only if it exists in the calendar', () => {
    const digits = fc.integer({ min: 0, max: 99_999_999 }).map((number) => String(number).padStart(8, '0'));
    const near = fc
      .tuple(fc.integer({ min: 0, max: 9_999 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }))
      .map(([year, month, day]) => String(year).padStart(4, '0') + String(month).padStart(2, '0') + String(day).padStart(2, '0'));
    fc.assert(
      fc.property(fc.oneof(digits, near, fc.string()), (value) => {
        expect(calendarDay(value)).toBe(byDate(value));
      }),
      { numRuns: 2_000 },
    );
  });
});
