import { type Instant, parseUrl, AMOUNT_LENGTH_MAX, formatAmount, parseAmount } from '@app/kernel';

/** `YYYY-MM-DD HH:mm:ss ZZZ` in UTC (protocol decisions, section 2). */
export const formatInstant = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const WEB_ADDRESS_LENGTH_MAX = 1_024;

// No `@`, so no userinfo. `\` and blanks are refused because parsers differ on them.
const HTTP_WITH_AUTHORITY = /^https?:\/\/[^/?#@\\]+(?:[/?#]|$)/i;
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const NEVER_IN_AN_ADDRESS = /[\u0000-\u0020\u007f-\u009f\\]/;

/**
 * Without userinfo, blanks and control characters (safety, T20). Permitted hosts are checked when the address is
 * called.
 */
export const isWebAddress = (text: string): boolean =>
  text.length <= WEB_ADDRESS_LENGTH_MAX &&
  HTTP_WITH_AUTHORITY.test(text) &&
  !NEVER_IN_AN_ADDRESS.test(text) &&
  parseUrl(text) !== undefined;

/**
 * White space at the ends of a value, defined only here (safety, T23). `trim` differs between languages, and both sides
 * must sign the same text.
 */
export const WHITE_SPACE = '\t\n\v\f\r ';

const isWhiteSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

export const trimmed = (text: string): string => {
  let start = 0;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start++;
  return trimmedEnd(start === 0 ? text : text.slice(start));
};

/** For readers of responses (protocol decisions, section 3). */
export const trimmedEnd = (text: string): string => {
  let end = text.length;
  while (end > 0 && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return end === text.length ? text : text.slice(0, end);
};

/** Interface, section 2.4; not counting zeros after the second decimal. */
export const REQUEST_AMOUNT_LENGTH_MAX = 10;
const PADDED = /^\d+\.\d{2}0+$/;
const ZERO_DECIMALS = /\.?0+$/;

/** Removes zeros after the second decimal; other texts are unchanged. */
export const unpaddedAmount = (text: string): string =>
  text.length <= AMOUNT_LENGTH_MAX && PADDED.test(text) ? text.slice(0, text.indexOf('.') + 3) : text;

export const parseRequestAmount = (padded: string): bigint | undefined => {
  const text = unpaddedAmount(padded);
  return text.length <= REQUEST_AMOUNT_LENGTH_MAX ? parseAmount(text) : undefined;
};

/** Two decimals, or none if the field is too short for them (`15000000`). */
export const formatRequestAmount = (minor: bigint): string => {
  const text = formatAmount(minor);
  return text.length <= REQUEST_AMOUNT_LENGTH_MAX ? text : text.replace(ZERO_DECIMALS, '');
};
