const NEEDS_NO_ESCAPE = /^[A-Za-z0-9*\-._]*$/;
const LEFT_BY_ENCODE_URI_COMPONENT = /%20|[!'()~]/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

const escapeOf = (found: string): string => (found === '%20' ? '+' : `%${found.charCodeAt(0).toString(16).toUpperCase()}`);

/** application/x-www-form-urlencoded: UTF-8, `+` for a blank, `*-._` as they are. A lone surrogate, which UTF-8 cannot say, becomes U+FFFD. */
export const encodeComponent = (text: string): string =>
  NEEDS_NO_ESCAPE.test(text)
    ? text
    : encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD')).replace(LEFT_BY_ENCODE_URI_COMPONENT, escapeOf);

export type DecodingFault = 'bad-percent-encoding' | 'invalid-utf8';

/** The strict inverse: a broken escape or bytes that are no UTF-8 are refused, never repaired. */
export const decodeComponent = (text: string): { readonly ok: string } | { readonly fault: DecodingFault } => {
  const withBlanks = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!withBlanks.includes('%')) return { ok: withBlanks };
  try {
    return { ok: decodeURIComponent(withBlanks) };
  } catch {
    return { fault: BAD_ESCAPE.test(withBlanks) ? 'bad-percent-encoding' : 'invalid-utf8' };
  }
};
