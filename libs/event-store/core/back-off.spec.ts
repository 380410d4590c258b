import { backOffMs } from './back-off';

describe('backOffMs', () => {
  it('returns the minimum after one failure, doubles it for each further one, and stops at the maximum', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((failures) => backOffMs(failures, 250, 5_000));
    expect(waits).toStrictEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('returns the minimum if nothing has failed', () => expect(backOffMs(0, 250, 5_000)).toBe(250));

  it('stops doubling after thirty failures, so that it stays a finite number', () => {
    expect([30, 31, 32, 100_000].map((failures) => backOffMs(failures, 1, Infinity))).toStrictEqual([2 ** 29, 2 ** 30, 2 ** 30, 2 ** 30]);
  });
});
