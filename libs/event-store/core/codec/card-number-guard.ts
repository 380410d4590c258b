import { isLuhnValid, withPlainDigits } from '@app/kernel';

const DIGITS_MIN = 12;
const DIGITS_MAX = 19;
const ZERO = 48;
const RUNS = /\d+(?:[\s\-./_,\u2010-\u2015\u00ad\u200b]{1,2}\d+)*/gu;
/** For displayed text: allows more separators, because displayed text is never read back. */
const SHOWN_RUNS = /\d+(?:[\s\-./_,\u2010-\u2015\u00ad\u200b]{1,8}\d+)*/gu;
const GROUPS = /\d+/g;

/**
 * Leading digits that issuers of payment cards have (ISO/IEC 7812): 2014, 2149 Diners; 2200 to 2204 Mir; 2221 to 2720 and 51 to 55 Mastercard;
 * 30, 34 to 39 Diners, American Express, JCB; 4 Visa; 50, 56 to 58, 6 Maestro, Discover, UnionPay, RuPay; 81, 82, 9792 RuPay, UnionPay, Troy.
 */
const ISSUER_RANGE = /^(?:2(?:014|149|20[0-4]|2[2-9]|[3-6]|7[0-2])|3[04-9]|4|5[0-8]|6|8[12]|9792)/;

const ISSUER_DIGITS = 4;

const isCardNumber = (digits: string): boolean =>
  digits.length >= DIGITS_MIN && digits.length <= DIGITS_MAX && ISSUER_RANGE.test(digits) && isLuhnValid(digits);

/** Prefix sums of the Luhn check for even and odd positions, so that any range of digits is checked in constant time. */
const checkSums = (digits: string): { readonly evenDoubled: readonly number[]; readonly oddDoubled: readonly number[] } => {
  const evenDoubled = [0];
  const oddDoubled = [0];
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(at) - ZERO;
    const doubled = digit > 4 ? 2 * digit - 9 : 2 * digit;
    evenDoubled.push((evenDoubled[at] ?? 0) + (at % 2 === 0 ? doubled : digit));
    oddDoubled.push((oddDoubled[at] ?? 0) + (at % 2 === 0 ? digit : doubled));
  }
  return { evenDoubled, oddDoubled };
};

/** Whether adjacent whole groups form a card number: `4111 1111 1111 1111 12/29` contains one although its run has 20 digits. */
const hasCardNumber = (groups: readonly string[]): boolean => {
  const [only] = groups;
  if (only !== undefined && groups.length === 1) return isCardNumber(only);
  const digits = groups.join('');
  if (digits.length < DIGITS_MIN) return false;
  const { evenDoubled, oddDoubled } = checkSums(digits);
  let start = 0;
  for (let from = 0; from < groups.length; from++) {
    let end = start;
    let isIssued: boolean | undefined;
    for (let to = from; to < groups.length; to++) {
      end += groups[to]?.length ?? 0;
      if (end - start > DIGITS_MAX) break;
      if (end - start < DIGITS_MIN) continue;
      isIssued ??= ISSUER_RANGE.test(digits.slice(start, start + ISSUER_DIGITS));
      if (!isIssued) break;
      const sums = end % 2 === 0 ? evenDoubled : oddDoubled;
      if (((sums[end] ?? 0) - (sums[start] ?? 0)) % 10 === 0) return true;
    }
    start += groups[from]?.length ?? 0;
  }
  return false;
};

/**
 * Whether a text contains 12 to 19 digits that are Luhn-valid and in an issuer's range, ignoring separators (safety, section 5.1). Digits
 * of other scripts count too. Linear time.
 */
export const looksLikeCardNumber = (text: string): boolean => {
  const plain = withPlainDigits(text);
  if (plain.length < DIGITS_MIN) return false;
  for (const [run] of plain.matchAll(RUNS)) {
    if (run.length >= DIGITS_MIN && hasCardNumber(run.match(GROUPS) ?? [])) return true;
  }
  return false;
};

const CARD_NUMBER_CONCEALED = '[card number]';

/** Masks card numbers in displayed text, because a payer may have typed one anywhere. Linear time. */
export const concealCardNumbers = (text: string): string => {
  const plain = withPlainDigits(text);
  let isConcealed = false;
  const shown = plain.replace(SHOWN_RUNS, (run) => {
    if (run.length < DIGITS_MIN || !hasCardNumber(run.match(GROUPS) ?? [])) return run;
    isConcealed = true;
    return CARD_NUMBER_CONCEALED;
  });
  return isConcealed ? shown : text;
};

/**
 * One alphanumeric word after optional words of letters, a UUID (its digits may all be decimal), or an amount: `4111111111.03` has twelve
 * digits.
 */
const REFERENCE = /^(?:(?:[A-Za-z]+[-_])*[A-Za-z0-9]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{1,10}\.\d{2})$/;

/**
 * For references chosen by another party. One in ten order numbers of a gate passes the Luhn check, so ungrouped digits are accepted there
 * (rule 6).
 */
export const looksLikeCardNumberInReference = (text: string): boolean => !REFERENCE.test(text) && looksLikeCardNumber(text);
