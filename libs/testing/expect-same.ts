import { isDeepStrictEqual } from 'node:util';

/**
 * Like `toStrictEqual`, for inner loops of properties: calls `expect` only on a difference, because it costs more than a state machine's
 * step.
 */
export const expectSame = (actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected);
};
