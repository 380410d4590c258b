import fc from 'fast-check';
import { commissionOf } from './money';

const rate = (ratePerTenThousand: number, minCentis = 0) => ({ ratePerTenThousand, minCentis });

describe('commissionOf', () => {
  it.each([
    [10_000n, 150, 150n],
    [1n, 0, 0n],
    [1n, 10_000, 1n],
    [999_999_999_900n, 10_000, 999_999_999_900n],
    [33n, 150, 0n],
    [34n, 150, 1n],
    [99n, 150, 1n],
    [100n, 150, 2n],
    [4_999n, 1, 0n],
    [5_000n, 1, 1n],
    [14_999n, 1, 1n],
    [15_000n, 1, 2n],
  ])('of %s minor units at %s per ten thousand is %s, rounded half up [W432]', (amountMinor, ratePerTenThousand, commission) => {
    expect(commissionOf(amountMinor, rate(ratePerTenThousand))).toBe(commission);
  });

  it.each([
    [1_000n, 29, 29n],
    [1_000n, 30, 30n],
    [2_000n, 30, 30n],
    [2_034n, 30, 31n],
    [0n, 30, 30n],
  ])('of %s minor units at 150 per ten thousand is not below the minimum of %s: %s [W432]', (amountMinor, minCentis, commission) => {
    expect(commissionOf(amountMinor, rate(150, minCentis))).toBe(commission);
  });

  const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n });
  const rates = fc.nat({ max: 10_000 });

  it('is the exact share rounded half up', () => {
    fc.assert(
      fc.property(amounts, rates, (amountMinor, ratePerTenThousand) => {
        const twiceTooMuch =
          2n * (commissionOf(amountMinor, rate(ratePerTenThousand)) * 10_000n - amountMinor * BigInt(ratePerTenThousand));
        expect(twiceTooMuch > -10_000n && twiceTooMuch <= 10_000n).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the greater of the share and the minimum', () => {
    fc.assert(
      fc.property(amounts, rates, fc.nat({ max: 1_000_000 }), (amountMinor, ratePerTenThousand, minCentis) => {
        const share = commissionOf(amountMinor, rate(ratePerTenThousand));
        const least = BigInt(minCentis);
        expect(commissionOf(amountMinor, rate(ratePerTenThousand, minCentis))).toBe(share > least ? share : least);
      }),
    );
  });

  it('throws for a rate that is not a whole number', () => {
    expect(() => commissionOf(100n, rate(1.5))).toThrow(RangeError);
  });
});
