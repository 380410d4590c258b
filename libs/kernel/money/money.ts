import type { Brand } from '../brand';

/** ISO 4217 alpha code, upper case. */
export type Currency = Brand<string, 'Currency'>;

/** Minor units (100 per major unit for every currency, interface section 2.6) with their currency. Never a float. */
export interface Money {
  readonly minor: bigint;
  readonly currency: Currency;
}

/** What a text amount may be at most: 10 characters (interface, section 2.4), without the zeros that may follow its second decimal. */
export const AMOUNT_LENGTH_MAX = 10;
/** The same with those zeros: shops print amounts from columns of four or more decimals. */
export const PADDED_AMOUNT_LENGTH_MAX = 16;
const AMOUNT = /^(0|[1-9]\d{0,9})(?:\.(\d{1,2}))?$/;
const PADDED = /^\d+\.\d{2}0+$/;

/** The amount without the zeros that may follow its second decimal; any other text as it is. */
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

/** What is taken of an amount: a share of it, and in minor units no less than the minimum. */
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
