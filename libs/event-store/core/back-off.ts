/** Doubles from `minMs` to `maxMs`: short outages are retried quickly, long ones rarely. */
export const backOffMs = (failuresInARow: number, minMs: number, maxMs: number): number =>
  Math.min(maxMs, minMs * 2 ** Math.min(Math.max(failuresInARow - 1, 0), 30));
