import { withPlainDigits } from '@app/kernel';
import { CARD_NUMBER_LENGTH_MIN } from './validation/field-rules';

/** Characters of a text that is looked at as a card number: 19 digits with whatever stands between them. A longer one is none. */
const CARD_NUMBER_TEXT_LENGTH_MAX = 128;
const ESCAPED_BYTE = /^[0-9A-Fa-f]{2}$/;
const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}]+/gu;
const ONLY_DIGITS = /^\d+$/;
const PERCENT = 37;
const ZERO = 48;
const NINE = 57;
const LAST_ASCII = 127;

/** Each escape as one character, whatever bytes stand beside it: digits and what parts them are one byte each. */
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

/** Letters and digits alone; those of other scripts, wide and raised ones become plain, what stands between digits goes. In linear time. */
const condensed = (text: string): string => withPlainDigits(text).replace(NEITHER_LETTER_NOR_DIGIT, '');

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
 * The digits of a text that may be meant for a card number, with whatever but letters between them; undefined where it is none. One that is wrong in
 * another way counts too: what is refused is not repeated either.
 */
export const cardNumberOf = (text: string): string | undefined => {
  if (text.length < CARD_NUMBER_LENGTH_MIN || text.length > CARD_NUMBER_TEXT_LENGTH_MAX) return undefined;
  const digits = ONLY_DIGITS.test(text) ? text : condensed(text);
  return digits.length >= CARD_NUMBER_LENGTH_MIN && ONLY_DIGITS.test(digits) ? digits : undefined;
};

/** Looks for card numbers in one text, which is read once however many there are. */
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

/**
 * Whether a text holds the card number, with anything but letters between its digits, or percent-encoded as in an address (protocol decisions,
 * section 4; safety, T33).
 */
export const holdsCardNumber = (text: string, cardNumber: string): boolean => cardNumberSearch(text)(cardNumber);
