import type { Brand } from './ids';

export type Currency = Brand<string, 'Currency'>;

/** Minor units (100 per major unit for every currency, interface section 2.6). Never a float. */
export interface Money {
  readonly minor: bigint;
  readonly currency: Currency;
}

/** Includes zeros after the second decimal, since shops print amounts from columns with four or more decimals. */
export const AMOUNT_LENGTH_MAX = 16;
/** At most ten digits before the dot, more than any `maxAmount`. */
export const AMOUNT_GRAMMAR = /^(0|[1-9]\d{0,9})(?:\.(\d{1,2})0*)?$/;

/**
 * `10.5` to `1050n`; undefined for an invalid amount (protocol decisions, section 2). For a request's field use
 * `parseRequestAmount`, which limits the length.
 */
export const parseAmount = (text: string): bigint | undefined => {
  const match = text.length <= AMOUNT_LENGTH_MAX ? AMOUNT_GRAMMAR.exec(text) : null;
  if (match === null) return undefined;
  return BigInt(match[1] ?? '') * 100n + BigInt((match[2] ?? '').padEnd(2, '0'));
};

/** `1050n` to `10.50`. */
export const formatAmount = (minor: bigint): string => {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

export const money = (minor: bigint, currency: Currency): Money => ({ minor, currency });
export const isSameMoney = (a: Money, b: Money): boolean => a.minor === b.minor && a.currency === b.currency;

/** The minimum is in minor units. */
export interface CommissionRate {
  readonly ratePerTenThousand: number;
  readonly minCentis: number;
}

/** Rounded half up (protocol decisions, section 8). */
export const commissionOf = (amountMinor: bigint, rate: CommissionRate): bigint => {
  const share = (amountMinor * BigInt(rate.ratePerTenThousand) + 5_000n) / 10_000n;
  const least = BigInt(rate.minCentis);
  return share < least ? least : share;
};
