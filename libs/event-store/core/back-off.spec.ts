import { backOffMs } from './back-off';

describe('the back-off after failures in a row', () => {
  it('is its minimum after the first, doubles with each that follows, and stays at its maximum', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((failures) => backOffMs(failures, 250, 5_000));
    expect(waits).toStrictEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('is its minimum where nothing has failed', () => expect(backOffMs(0, 250, 5_000)).toBe(250));

  it('grows thirty times at most, so that it stays a number however often it failed', () => {
    expect([30, 31, 32, 100_000].map((failures) => backOffMs(failures, 1, Infinity))).toStrictEqual([2 ** 29, 2 ** 30, 2 ** 30, 2 ** 30]);
  });
});
