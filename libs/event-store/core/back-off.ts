/** Doubles from `minMs` to `maxMs`, so that a short outage is retried at once and a long one seldom. */
export const backOffMs = (failuresInARow: number, minMs: number, maxMs: number): number =>
  Math.min(maxMs, minMs * 2 ** Math.min(Math.max(failuresInARow - 1, 0), 30));
