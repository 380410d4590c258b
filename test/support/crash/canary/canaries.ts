import { isLuhnValid, type Random } from '@app/kernel';

export interface Canary {
  readonly cardNumber: string;
  readonly holder: string;
}

const DIGITS_MIN = 12;
const DIGITS_MAX = 19;
const NAME_LETTERS = 14;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const below = (random: Random, limit: number): number => Math.floor(random.fraction() * limit);

/** Luhn-valid numbers of 12 to 19 digits, in issuer ranges and outside them. The seed determines them. */
export const makeCanaries = (count: number, random: Random): readonly Canary[] => {
  const known = new Set<string>();
  while (known.size < count) {
    const length = DIGITS_MIN + (known.size % (DIGITS_MAX - DIGITS_MIN + 1));
    let digits = String(1 + below(random, 9));
    while (digits.length < length - 1) digits += String(below(random, 10));
    for (let check = 0; check < 10; check++) if (isLuhnValid(digits + String(check))) known.add(digits + String(check));
  }
  return [...known].map((cardNumber) => ({
    cardNumber,
    holder: Array.from({ length: NAME_LETTERS }, () => LETTERS[below(random, LETTERS.length)]).join(''),
  }));
};
