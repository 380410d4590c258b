import { addMs, type Instant } from '@app/kernel';
import { ACCEPTED_AT } from '@app/testing';
import fc from 'fast-check';
import { INQUIRY_GAPS_MS, nextInquiryAt } from './inquiry-schedule';

const SENT_AT = ACCEPTED_AT;
const HOUR_MS = 3_600_000;
const NO_FLIGHT_MS = 0;

const secondsOf = (longestFlightMs: number, count: number): number[] => {
  const moments: number[] = [];
  for (let now = SENT_AT; moments.length < count; moments.push((now - SENT_AT) / 1_000)) now = nextInquiryAt(SENT_AT, longestFlightMs, now);
  return moments;
};

describe('nextInquiryAt', () => {
  it('uses gaps of 1, 2, 5, 15, 60 s, 5 and 15 min, then one hour', () => {
    expect(INQUIRY_GAPS_MS).toStrictEqual([1_000, 2_000, 5_000, 15_000, 60_000, 300_000, 900_000]);
    expect(secondsOf(NO_FLIGHT_MS, 11)).toStrictEqual([1, 3, 8, 23, 83, 383, 1_283, 4_883, 8_483, 12_083, 15_683]);
  });

  it.each([
    { flight: 'before the first gap', ms: 400, moments: [0.4, 1, 3, 8, 23] },
    { flight: 'between two gaps', ms: 5_000, moments: [1, 3, 5, 8, 23] },
    { flight: 'just before a gap', ms: 7_999, moments: [1, 3, 7.999, 8, 23] },
    { flight: 'on a moment of the schedule, which then counts once', ms: 8_000, moments: [1, 3, 8, 23, 83] },
    { flight: 'in the hourly part', ms: 5_000_000, moments: [1, 3, 8, 23, 83, 383, 1_283, 4_883, 5_000, 8_483] },
  ])('adds an inquiry at the end of the longest flight: $flight', ({ ms, moments }) => {
    expect(secondsOf(ms, moments.length)).toStrictEqual(moments);
  });

  it('returns a future time, even at a time of the schedule', () => {
    expect(nextInquiryAt(SENT_AT, NO_FLIGHT_MS, addMs(SENT_AT, 999))).toBe(addMs(SENT_AT, 1_000));
    expect(nextInquiryAt(SENT_AT, NO_FLIGHT_MS, addMs(SENT_AT, 1_000))).toBe(addMs(SENT_AT, 3_000));
    expect(nextInquiryAt(SENT_AT, NO_FLIGHT_MS, addMs(SENT_AT, 1_283_000))).toBe(addMs(SENT_AT, 4_883_000));
    expect(nextInquiryAt(SENT_AT, 5_000, addMs(SENT_AT, 4_999))).toBe(addMs(SENT_AT, 5_000));
    expect(nextInquiryAt(SENT_AT, 5_000, addMs(SENT_AT, 5_000))).toBe(addMs(SENT_AT, 8_000));
  });

  const flights = fc.integer({ min: 0, max: 48 * HOUR_MS });
  const elapsed = fc.oneof(fc.integer({ min: 0, max: 2_000_000 }), fc.integer({ min: -72 * HOUR_MS, max: 100_000 * HOUR_MS }));

  it('returns a time at most an hour ahead for any clock', () => {
    fc.assert(
      fc.property(flights, elapsed, (longestFlightMs, elapsedMs) => {
        const now = addMs(SENT_AT, elapsedMs);
        const aheadMs = nextInquiryAt(SENT_AT, longestFlightMs, now) - now;
        expect(aheadMs).toBeGreaterThan(0);
        expect(aheadMs).toBeLessThanOrEqual(HOUR_MS);
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns the same time until it has passed', () => {
    fc.assert(
      fc.property(
        flights,
        fc.integer({ min: 0, max: 100 * HOUR_MS }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (flightMs, elapsedMs, part) => {
          const now = addMs(SENT_AT, elapsedMs);
          const at = nextInquiryAt(SENT_AT, flightMs, now);
          const between = addMs(now, Math.floor((at - now - 1) * part));
          expect(nextInquiryAt(SENT_AT, flightMs, between)).toBe(at);
        },
      ),
    );
  });

  it('never skips the end of the longest flight', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 48 * HOUR_MS }), (flightMs) => {
        const endsAt = addMs(SENT_AT, flightMs);
        expect(nextInquiryAt(SENT_AT, flightMs, addMs(endsAt, -1))).toBe(endsAt);
      }),
    );
  });

  it('returns a time one minute ahead after the clock was set back by a day', () => {
    const yesterday = (SENT_AT - 24 * HOUR_MS) as Instant;
    expect(nextInquiryAt(SENT_AT, 5_000, yesterday)).toBe(addMs(yesterday, 60_000));
  });
});
