/** Doubles from `minMs` to `maxMs`, so that what is away for long is asked seldom and what was away for a moment at once. */
export const backOffMs = (failuresInARow: number, minMs: number, maxMs: number): number =>
  Math.min(maxMs, minMs * 2 ** Math.min(Math.max(failuresInARow - 1, 0), 30));
