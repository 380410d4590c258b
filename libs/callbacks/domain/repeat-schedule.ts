const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const times = (count: number, gapMs: number): number[] => Array.from({ length: count }, () => gapMs);

/** Gaps between the tries of one delivery: 14 days in all (protocol decisions, section 6). */
export const REPEAT_GAPS_MS: readonly number[] = [
  15 * SECOND_MS,
  30 * SECOND_MS,
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4].map((hours) => hours * HOUR_MS),
  ...times(4, 6 * HOUR_MS),
  12 * HOUR_MS,
  ...times(12, 24 * HOUR_MS),
];

export const TRIES_MAX = REPEAT_GAPS_MS.length + 1;

/** Each gap is longer or shorter by up to a tenth, so that deliveries that failed together are not repeated together. */
export const JITTER_SHARE = 0.1;
const GAP_MS_MIN = 1;

/**
 * The gap after try `tryNumber` (from 1) failed; `undefined` after the last. `fraction` is a random number in [0, 1); `speedFactor` divides every
 * gap.
 */
export const gapAfterTryMs = (tryNumber: number, fraction: number, speedFactor: number): number | undefined => {
  const gapMs = REPEAT_GAPS_MS[tryNumber - 1];
  if (gapMs === undefined) return undefined;
  const spread = 1 - JITTER_SHARE + 2 * JITTER_SHARE * fraction;
  return Math.max(GAP_MS_MIN, Math.round((gapMs * spread) / speedFactor));
};
