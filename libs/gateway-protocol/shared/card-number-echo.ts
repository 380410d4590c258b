import { withPlainDigits } from '@app/kernel';
import { CARD_NUMBER_LENGTH_MIN } from './validation/field-rules';

/** 19 digits with separators. Longer texts are not card numbers. */
const CARD_NUMBER_TEXT_LENGTH_MAX = 128;
const ESCAPED_BYTE = /^[0-9A-Fa-f]{2}$/;
const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}]+/gu;
const ONLY_DIGITS = /^\d+$/;
const PERCENT = 37;
const ZERO = 48;
const NINE = 57;
const LAST_ASCII = 127;

/** Decodes each escape to one character, since digits and separators are single bytes. */
const unescaped = (text: string): string => {
  let plain = '';
  let from = 0;
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', Math.max(at + 1, from))) {
    const hex = text.slice(at + 1, at + 3);
    if (!ESCAPED_BYTE.test(hex)) continue;
    plain += text.slice(from, at) + String.fromCharCode(Number.parseInt(hex, 16));
    from = at + 3;
  }
  return plain + text.slice(from);
};

/** Letters and digits only, converted to ASCII; separators are removed. Linear time. */
const condensed = (text: string): string => withPlainDigits(text).replace(NEITHER_LETTER_NOR_DIGIT, '');

/** A fast check for most texts: plain ASCII without escapes and with too few digits. */
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
 * The digits of a possible card number, with any separators except letters. Invalid numbers count too, since a refused
 * one must not be repeated either.
 */
export const cardNumberOf = (text: string): string | undefined => {
  if (text.length < CARD_NUMBER_LENGTH_MIN || text.length > CARD_NUMBER_TEXT_LENGTH_MAX) return undefined;
  const digits = ONLY_DIGITS.test(text) ? text : condensed(text);
  return digits.length >= CARD_NUMBER_LENGTH_MIN && ONLY_DIGITS.test(digits) ? digits : undefined;
};

/** Reads the text once for any number of card numbers. */
export const cardNumberSearch = (text: string): ((cardNumber: string) => boolean) => {
  let plain: string | undefined;
  let decoded: string | undefined;
  return (cardNumber) => {
    if (text.length < cardNumber.length || hasFewerDigits(text, cardNumber.length)) return false;
    plain ??= condensed(text);
    if (plain.includes(cardNumber)) return true;
    if (!text.includes('%')) return false;
    decoded ??= condensed(unescaped(text));
    return decoded.includes(cardNumber);
  };
};

/** Also finds digits with separators or percent-encoding (protocol decisions, section 4; safety, T33). */
export const holdsCardNumber = (text: string, cardNumber: string): boolean => cardNumberSearch(text)(cardNumber);
