import type { Brand } from '../brand';

/** ISO 4217 alpha code, upper case. */
export type Currency = Brand<string, 'Currency'>;

/** Minor units (100 per major unit for every currency, interface section 2.6) with their currency. Never a float. */
export interface Money {
  readonly minor: bigint;
  readonly currency: Currency;
}

/** Maximum length of an amount (interface, section 2.4), not counting zeros after its second decimal. */
export const AMOUNT_LENGTH_MAX = 10;
/** Maximum length with those zeros, since shops print amounts from columns with four or more decimals. */
export const PADDED_AMOUNT_LENGTH_MAX = 16;
const AMOUNT = /^(0|[1-9]\d{0,9})(?:\.(\d{1,2}))?$/;
const PADDED = /^\d+\.\d{2}0+$/;

/** Removes zeros after the second decimal of an amount; returns any other text unchanged. */
export const unpaddedAmount = (text: string): string =>
  text.length <= PADDED_AMOUNT_LENGTH_MAX && PADDED.test(text) ? text.slice(0, text.indexOf('.') + 3) : text;

/** Major units with a dot (`10.5`) to minor units (`1050n`); undefined where the grammar of protocol decisions section 2 refuses it. */
export const parseAmount = (padded: string): bigint | undefined => {
  const text = unpaddedAmount(padded);
  if (text.length > AMOUNT_LENGTH_MAX) return undefined;
  const match = AMOUNT.exec(text);
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
