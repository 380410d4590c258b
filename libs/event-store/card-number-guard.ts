import { isLuhnValid } from '@app/kernel';

const DIGITS_MIN = 12;
const DIGITS_MAX = 19;
/** Digits in groups that one or two separators part: blanks, dashes, dots, slashes, underscores, commas. */
const RUNS = /\d+(?:[\s\-./_,\u2010-\u2015\u00ad\u200b]{1,2}\d+)*/gu;
const GROUPS = /\d+/g;

/**
 * Leading digits that issuers of payment cards have (ISO/IEC 7812): 2014, 2149 Diners; 2200 to 2204 Mir; 2221 to 2720 and 51 to 55 Mastercard;
 * 30, 34 to 39 Diners, American Express, JCB; 4 Visa; 50, 56 to 58, 6 Maestro, Discover, UnionPay, RuPay; 81, 82, 9792 RuPay, UnionPay, Troy.
 */
const ISSUER_RANGE = /^(?:2(?:014|149|20[0-4]|2[2-9]|[3-6]|7[0-2])|3[04-9]|4|5[0-8]|6|8[12]|9792)/;

const isCardNumber = (digits: string): boolean => ISSUER_RANGE.test(digits) && isLuhnValid(digits);

/** Whether whole groups that stand side by side make a card number: `4111 1111 1111 1111 12/29` holds one although its run has 20 digits. */
const hasCardNumber = (groups: readonly string[]): boolean => {
  for (let from = 0; from < groups.length; from++) {
    let digits = '';
    for (let to = from; to < groups.length; to++) {
      digits += groups[to] ?? '';
      if (digits.length > DIGITS_MAX) break;
      if (digits.length >= DIGITS_MIN && isCardNumber(digits)) return true;
    }
  }
  return false;
};

/**
 * Whether a text holds what looks like a card number: runs of 12 to 19 digits, separators removed, Luhn-valid and in an issuer's range
 * (safety, section 5.1). Digits of other scripts count as what they stand for.
 */
export const looksLikeCardNumber = (text: string): boolean => {
  if (text.length < DIGITS_MIN) return false;
  // eslint-disable-next-line no-control-regex -- ASCII is the ordinary case and needs no normalising
  const plain = /^[\x00-\x7f]*$/.test(text) ? text : text.normalize('NFKC');
  for (const [run] of plain.matchAll(RUNS)) {
    if (run.length >= DIGITS_MIN && hasCardNumber(run.match(GROUPS) ?? [])) return true;
  }
  return false;
};
