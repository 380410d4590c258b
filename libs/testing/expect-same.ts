import { isDeepStrictEqual } from 'node:util';

/**
 * Expects what `toStrictEqual` does, for the inner loop of a property: an `expect` is made only where the two differ, because one costs more than the
 * step of a state machine that it looks at.
 */
export const expectSame = (actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected);
};
