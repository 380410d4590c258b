import { CARD_NUMBER_LENGTH_MIN } from './field-rules';
import type { Form } from './form';

export const CARD_NUMBER_FIELD = 'credit_card_number';
const PERCENT_ESCAPE = /%([0-9A-Fa-f]{2})/g;
const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}]/gu;
const ONLY_DIGITS = /^\d+$/;
const PERCENT = 37;
const ZERO = 48;
const NINE = 57;
const LAST_ASCII = 127;

const decodedEscape = (_escape: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));

/** Letters and digits alone; wide and raised digits become plain ones, what stands between digits goes. */
const condensed = (text: string): string => text.normalize('NFKC').replace(NEITHER_LETTER_NOR_DIGIT, '');

/** True where digits can hide neither beyond ASCII nor behind an escape, and are fewer than asked for: the quick answer for most texts. */
const hasFewerDigits = (text: string, count: number): boolean => {
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > LAST_ASCII || code === PERCENT) return false;
    if (code >= ZERO && code <= NINE) digits += 1;
  }
  return digits < count;
};

/**
 * Whether a text holds the card number, with anything but letters between its digits, or percent-encoded as in an address (protocol decisions,
 * section 4; safety, T33).
 */
export const holdsCardNumber = (text: string, cardNumber: string): boolean => {
  if (text.length < cardNumber.length || hasFewerDigits(text, cardNumber.length)) return false;
  return (
    condensed(text).includes(cardNumber) ||
    (text.includes('%') && condensed(text.replace(PERCENT_ESCAPE, decodedEscape)).includes(cardNumber))
  );
};

/**
 * The card number that a request brings, whether its operation has that field or not: a merchant's mistake must not make a text of it. Undefined where
 * there is none.
 */
export const cardNumberIn = (form: Form): string | undefined => {
  const digits = condensed(form.text(CARD_NUMBER_FIELD));
  return digits.length >= CARD_NUMBER_LENGTH_MIN && ONLY_DIGITS.test(digits) ? digits : undefined;
};
