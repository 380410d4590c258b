import type { Brand } from './ids';

/** ISO 4217 alpha code, upper case. */
export type Currency = Brand<string, 'Currency'>;

/** Minor units (100 per major unit for every currency, interface section 2.6) with their currency. Never a float. */
export interface Money {
  readonly minor: bigint;
  readonly currency: Currency;
}

/** Maximum length of an amount with zeros after its second decimal, since shops print amounts from columns with four or more decimals. */
export const AMOUNT_LENGTH_MAX = 16;
/** Major units of at most ten digits, which is more than an entry point's `maxAmount` can be. */
export const AMOUNT_GRAMMAR = /^(0|[1-9]\d{0,9})(?:\.(\d{1,2})0*)?$/;

/**
 * Major units with a dot (`10.5`) to minor units (`1050n`); undefined if the grammar of protocol decisions section 2 refuses it. Reads everything that
 * `formatAmount` writes of an amount of an order. The ten characters of that section are the limit of a request's field: `parseRequestAmount`.
 */
export const parseAmount = (text: string): bigint | undefined => {
  const match = text.length <= AMOUNT_LENGTH_MAX ? AMOUNT_GRAMMAR.exec(text) : null;
  if (match === null) return undefined;
  return BigInt(match[1] ?? '') * 100n + BigInt((match[2] ?? '').padEnd(2, '0'));
};

/** Minor units to major with two digits: `1050n` to `10.50`. */
export const formatAmount = (minor: bigint): string => {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

export const money = (minor: bigint, currency: Currency): Money => ({ minor, currency });
export const isSameMoney = (a: Money, b: Money): boolean => a.minor === b.minor && a.currency === b.currency;

/** A share of an amount, with a minimum in minor units. */
export interface CommissionRate {
  readonly ratePerTenThousand: number;
  readonly minCentis: number;
}

/** `amount * ratePerTenThousand / 10000`, rounded half up, not below the minimum (protocol decisions, section 8). */
export const commissionOf = (amountMinor: bigint, rate: CommissionRate): bigint => {
  const share = (amountMinor * BigInt(rate.ratePerTenThousand) + 5_000n) / 10_000n;
  const least = BigInt(rate.minCentis);
  return share < least ? least : share;
};
