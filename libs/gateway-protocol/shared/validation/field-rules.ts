import { isIPv4, isIPv6 } from 'node:net';
import { AMOUNT_LENGTH_MAX, COUNTRIES, CURRENCIES, isLuhnValid, parseAmount, type NonEmpty } from '@app/kernel';
import { parseRequestAmount, unpaddedAmount, isWebAddress, WEB_ADDRESS_LENGTH_MAX } from '../request-texts';

const codes = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/**
 * Countries that require a state, with the codes of ISO 3166-2 (protocol decisions, section 2). The USA also has its
 * postal codes for armed forces and freely associated states.
 */
export const STATES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'US',
    codes(
      'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT ' +
        'VA WA WV WI WY DC AS GU MP PR UM VI AA AE AP FM MH PW',
    ),
  ],
  ['CA', codes('AB BC MB NB NL NS NT NU ON PE QC SK YT')],
  ['AU', codes('ACT NSW NT QLD SA TAS VIC WA')],
]);

const LOCAL_LENGTH_MAX = 64;
const DOMAIN_LENGTH_MAX = 253;
const LOCAL_ATOM = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const DOMAIN_LABEL = /^(?!-)[\p{L}\p{N}-]{1,63}$/u;

/** Dot-atom `@` domain of two or more labels, in any script (RFC 6531). Linear time (safety, T27). */
const isEmailAddress = (text: string): boolean => {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > LOCAL_LENGTH_MAX || text.length - at - 1 > DOMAIN_LENGTH_MAX) return false;
  const labels = text.slice(at + 1).split('.');
  const isDomain = labels.length >= 2 && labels.every((label) => DOMAIN_LABEL.test(label) && !label.endsWith('-'));
  return (
    isDomain &&
    text
      .slice(0, at)
      .split('.')
      .every((atom) => LOCAL_ATOM.test(atom))
  );
};

/** What is wrong, to follow the field's name: `must be ...`. Undefined if valid. Never repeats the value. */
export type FieldRule = (value: string) => string | undefined;

/** In Node since version 20, in TypeScript's library from es2024. */
export const isWellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed();

export const must = (claim: boolean, complaint: string): string | undefined => (claim ? undefined : complaint);
const matching =
  (pattern: RegExp, complaint: string): FieldRule =>
  (value) =>
    must(pattern.test(value), complaint);

const CONTROL_CHARACTER = /\p{Cc}/u;

/** A character beyond U+FFFF counts as one (protocol decisions, section 4). */
const isAtMost = (value: string, max: number): boolean => {
  if (value.length <= max) return true;
  if (value.length > 2 * max) return false;
  let characters = 0;
  for (const _character of value) characters++;
  return characters <= max;
};

export const textOf =
  (max: number): FieldRule =>
  (value) =>
    must(isAtMost(value, max), `must be at most ${max} characters`);

/** For signed texts: a SHA-1 collision needs bytes that no order id contains (safety, T4). */
export const signedTextOf =
  (max: number): FieldRule =>
  (value) =>
    textOf(max)(value) ?? must(!CONTROL_CHARACTER.test(value), 'must not hold control characters');

export const utf8Of =
  (bytesMax: number): FieldRule =>
  (value) =>
    must(value.length * 3 <= bytesMax || Buffer.byteLength(value, 'utf8') <= bytesMax, `must be at most ${bytesMax} bytes of UTF-8`);

export const amount: FieldRule = (value) =>
  must(
    parseRequestAmount(value) !== undefined,
    'must be an amount such as 10.50, at most 10 characters before any zeros that follow two decimals',
  );

/** A reported amount may be longer than that of a payment request. */
export const reportedAmount: FieldRule = (value) =>
  must(parseAmount(value) !== undefined, `must be an amount such as 10.50, at most ${AMOUNT_LENGTH_MAX} characters`);

/** `enumerate_amounts` in minor units (interface, section 2.4); undefined if one is invalid. */
export const parseAmounts = (text: string): NonEmpty<bigint> | undefined => {
  const [first, ...rest] = text.split(',').map(parseRequestAmount);
  const isWhole = (minor: bigint | undefined): minor is bigint => minor !== undefined;
  return isWhole(first) && rest.every(isWhole) ? [first, ...rest] : undefined;
};

export const amountList =
  (max: number): FieldRule =>
  (value) =>
    textOf(max)(value) ?? must(parseAmounts(value) !== undefined, 'must be amounts such as 10.50, separated by commas without blanks');

/** Lists that differ only in zeros after the decimals are the same content. */
export const unpaddedAmounts = (text: string): string => text.split(',').map(unpaddedAmount).join(',');

export const currency: FieldRule = (value) => must(CURRENCIES.has(value), 'must be an ISO 4217 code in upper case');
export const country: FieldRule = (value) => must(COUNTRIES.has(value), 'must be an ISO 3166 alpha-2 code in upper case');

/** For countries without listed states, two or three characters. */
export const stateIn = (countryCode: string | undefined): FieldRule => {
  const listed = STATES.get(countryCode ?? '');
  return listed === undefined
    ? matching(/^.{2,3}$/u, 'must be 2 or 3 characters')
    : (value) => must(listed.has(value), `must be a state code of ${countryCode} in upper case`);
};

export const isStateMandatoryIn = (countryCode: string | undefined): boolean => STATES.has(countryCode ?? '');

export const CARD_NUMBER_LENGTH_MIN = 9;

export const cardNumber: FieldRule = (value) =>
  must(/^\d{9,19}$/.test(value) && isLuhnValid(value), 'must be a card number: 9 to 19 digits that pass the Luhn check');
export const expiryMonth: FieldRule = matching(/^(?:0?[1-9]|1[0-2])$/, 'must be a month from 1 to 12');
export const expiryYear: FieldRule = matching(/^(?:\d{2}|[1-9]\d{3})$/, 'must be a year of two or four digits');
export const cvv2: FieldRule = matching(/^\d{3,4}$/, 'must be 3 or 4 digits');

export const ipAddress: FieldRule = (value) =>
  must(value.length <= 45 && (isIPv4(value) || (isIPv6(value) && !value.includes('%'))), 'must be an IPv4 or IPv6 address');

export const email =
  (max: number): FieldRule =>
  (value) =>
    textOf(max)(value) ?? must(isEmailAddress(value), 'must be an e-mail address');

export const webAddress: FieldRule = (value) =>
  textOf(WEB_ADDRESS_LENGTH_MAX)(value) ?? must(isWebAddress(value), 'must be an absolute http or https address without user name');

export const oneOf =
  (values: readonly string[]): FieldRule =>
  (value) =>
    must(values.includes(value), `must be ${values.join(' or ')}`);

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const FEBRUARY = 2;
const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const daysOf = (year: number, month: number): number => (DAYS_OF_MONTH[month - 1] ?? 0) + (month === FEBRUARY && isLeapYear(year) ? 1 : 0);

/** A valid YYYYMMDD. Ten times faster than with `Date`. */
export const calendarDay: FieldRule = (value) => {
  const [year, month, day] = [Number(value.slice(0, 4)), Number(value.slice(4, 6)), Number(value.slice(6, 8))];
  return must(/^\d{8}$/.test(value) && day >= 1 && day <= daysOf(year, month), 'must be a day as YYYYMMDD');
};
