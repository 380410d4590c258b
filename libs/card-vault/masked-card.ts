import type { Card, CardBrand, MaskedCard, MaskedReceivingCard } from '@app/kernel';

const BIN_DIGITS = 6;
const LAST_DIGITS = 4;
/** A number shorter than 14 digits shows a shorter BIN, because BIN and last four together would reveal the number. */
const HIDDEN_DIGITS_MIN = 4;

/** First six digits of the issuer ranges, both ends included; narrower ranges come before wider ones. */
const SCHEMES: readonly (readonly [from: number, to: number, scheme: CardBrand])[] = [
  [220_000, 220_499, 'MIR'],
  [222_100, 272_099, 'MASTERCARD'],
  [300_000, 305_999, 'DINERS'],
  [309_500, 309_599, 'DINERS'],
  [340_000, 349_999, 'AMEX'],
  [352_800, 358_999, 'JCB'],
  [360_000, 369_999, 'DINERS'],
  [370_000, 379_999, 'AMEX'],
  [380_000, 399_999, 'DINERS'],
  [400_000, 499_999, 'VISA'],
  [510_000, 559_999, 'MASTERCARD'],
  [601_100, 601_199, 'DISCOVER'],
  [644_000, 659_999, 'DISCOVER'],
  [620_000, 629_999, 'UNIONPAY'],
  [500_000, 509_999, 'MAESTRO'],
  [560_000, 589_999, 'MAESTRO'],
  [600_000, 699_999, 'MAESTRO'],
];
const OTHER_SCHEME: CardBrand = 'UNKNOWN';

const schemeOf = (number: string): CardBrand => {
  const start = Number(number.slice(0, BIN_DIGITS));
  return SCHEMES.find(([from, to]) => start >= from && start <= to)?.[2] ?? OTHER_SCHEME;
};

/** The parts of a card's number that may be shown (safety, section 5.1); `brand` has the values of card-type (interface, section 2.5). */
export const receivingFaceOf = (number: string): Pick<MaskedReceivingCard, 'bin' | 'lastFour' | 'brand'> => ({
  bin: number.slice(0, Math.max(0, Math.min(BIN_DIGITS, number.length - LAST_DIGITS - HIDDEN_DIGITS_MIN))),
  lastFour: number.slice(-LAST_DIGITS),
  brand: schemeOf(number),
});

/** As above, for a card that can be charged. */
export const faceOf = ({ number, expiryMonth, expiryYear }: Card): MaskedCard => ({ ...receivingFaceOf(number), expiryMonth, expiryYear });
