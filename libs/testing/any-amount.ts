import * as fc from 'fast-check';

/** Every amount in minor units that a merchant may send: an entry point takes at most 9,999,999,999.00 (`maxAmount`). */
export const amountMinor: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: 1n, max: 999_999_999_900n }),
  fc.bigInt({ min: 1n, max: 9_999_999_999n }).map((major) => major * 100n),
  // Look like card numbers: twelve digits of an issuer's range with a valid check digit.
  fc.constantFrom(411_111_111_109n, 411_111_110_200n),
);
