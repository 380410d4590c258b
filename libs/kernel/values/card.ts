/** A full card; pass it only inside a `Secret`. */
export interface Card {
  /** 9 to 19 digits, Luhn-valid. */
  readonly number: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly holder: string;
}

/** A card that receives money (Group B transfer). Pass it only inside a `Secret`. */
export interface DestinationCard {
  readonly number: string;
}

export const CARD_BRANDS = ['VISA', 'MASTERCARD', 'MIR', 'AMEX', 'DINERS', 'DISCOVER', 'JCB', 'MAESTRO', 'UNIONPAY', 'UNKNOWN'] as const;
export type CardBrand = (typeof CARD_BRANDS)[number];

/** The parts of a card that may be shown (safety, section 5.1). */
export interface MaskedCard {
  readonly bin: string;
  readonly lastFour: string;
  readonly brand: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
}

export type MaskedReceivingCard = Pick<MaskedCard, 'bin' | 'lastFour' | 'brand'> & Partial<Pick<MaskedCard, 'expiryMonth' | 'expiryYear'>>;

export const isLuhnValid = (digits: string): boolean => {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    if (digit < 0 || digit > 9) return false;
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
};
