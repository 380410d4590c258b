import fc from 'fast-check';
import { gapAfterTryMs, JITTER_SHARE, REPEAT_GAPS_MS, TRIES_MAX } from './delivery';

const MIDDLE = 0.5;
const fraction = () => fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const tryNumber = () => fc.integer({ min: 1, max: TRIES_MAX - 1 });

describe('protocol decisions 6: the schedule of repeats', () => {
  it('has 30 tries with the gaps as decided [W330]', () => {
    const written = REPEAT_GAPS_MS.map((gapMs) =>
      gapMs < 60_000 ? `${gapMs / 1_000} s` : gapMs < 3_600_000 ? `${gapMs / 60_000} min` : `${gapMs / 3_600_000} h`,
    );
    expect(TRIES_MAX).toBe(30);
    expect(written).toStrictEqual([
      ...['15 s', '30 s', '1 min', '2 min', '5 min', '10 min', '20 min', '30 min'],
      ...['1 h', '2 h', '3 h', '4 h', '6 h', '6 h', '6 h', '6 h', '12 h'],
      ...Array.from({ length: 12 }, () => '24 h'),
    ]);
  });

  it('goes on for 14 days: 335 h 8 min 45 s in the middle, and never longer than 15 days 9 hours', () => {
    const totalMs = (share: number) => REPEAT_GAPS_MS.reduce((sum, _, index) => sum + (gapAfterTryMs(index + 1, share, 1) ?? 0), 0);
    expect(totalMs(MIDDLE)).toBe(335 * 3_600_000 + 8 * 60_000 + 45_000);
    expect(Math.round(totalMs(MIDDLE) / 86_400_000)).toBe(14);
    expect(totalMs(0)).toBe(Math.round(totalMs(MIDDLE) * 0.9));
    expect(totalMs(1)).toBe(Math.round(totalMs(MIDDLE) * 1.1));
    expect(totalMs(1)).toBeLessThan(15 * 86_400_000 + 9 * 3_600_000);
  });

  it('has no gap after the last try', () => {
    expect(gapAfterTryMs(TRIES_MAX - 1, MIDDLE, 1)).toBe(86_400_000);
    expect(gapAfterTryMs(TRIES_MAX, MIDDLE, 1)).toBeUndefined();
  });

  it('spreads each gap by a tenth either way, at both ends [W331]', () => {
    expect(gapAfterTryMs(1, 0, 1)).toBe(13_500);
    expect(gapAfterTryMs(1, MIDDLE, 1)).toBe(15_000);
    expect(gapAfterTryMs(1, 1 - Number.EPSILON, 1)).toBe(16_500);
  });

  it('divides every gap by the speed factor, after the spread, and waits at least a millisecond [W331]', () => {
    expect(gapAfterTryMs(30 - 1, 0, 1_000)).toBe(77_760);
    expect(gapAfterTryMs(1, MIDDLE, 0.5)).toBe(30_000);
    expect(gapAfterTryMs(1, MIDDLE, 1_000_000)).toBe(1);
  });

  it('is a whole number of milliseconds within the tenth, for any random fraction', () => {
    fc.assert(
      fc.property(tryNumber(), fraction(), (number, share) => {
        const base = REPEAT_GAPS_MS[number - 1] ?? Number.NaN;
        const gapMs = gapAfterTryMs(number, share, 1) ?? Number.NaN;
        expect(Number.isSafeInteger(gapMs)).toBe(true);
        expect(gapMs).toBeGreaterThanOrEqual(base * (1 - JITTER_SHARE));
        expect(gapMs).toBeLessThanOrEqual(base * (1 + JITTER_SHARE));
      }),
    );
  });
});
