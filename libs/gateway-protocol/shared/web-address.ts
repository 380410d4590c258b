import { parseUrl } from '@app/kernel';

/** Characters of an address that a request brings (interface, section 2.4). */
export const WEB_ADDRESS_LENGTH_MAX = 1_024;

// The authority holds no `@`, so no userinfo; `\` and blanks are refused everywhere because parsers differ on them.
const HTTP_WITH_AUTHORITY = /^https?:\/\/[^/?#@\\]+(?:[/?#]|$)/i;
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const NEVER_IN_AN_ADDRESS = /[\u0000-\u0020\u007f-\u009f\\]/;

/** An absolute http or https address without userinfo, blank or control character (safety, T20). Which hosts may be called is decided at the door out. */
export const isWebAddress = (text: string): boolean =>
  text.length <= WEB_ADDRESS_LENGTH_MAX &&
  HTTP_WITH_AUTHORITY.test(text) &&
  !NEVER_IN_AN_ADDRESS.test(text) &&
  parseUrl(text) !== undefined;
