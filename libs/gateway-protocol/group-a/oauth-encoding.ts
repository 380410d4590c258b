const LONE_SURROGATE = /\p{Surrogate}/gu;
const LEFT_BY_ENCODE_URI_COMPONENT = /[!'()*]/g;

/** Percent-encoding of RFC 5849, section 3.6: all but the unreserved characters of RFC 3986, in upper-case hexadecimal. A form's encoding differs. */
export const oauthEncoded = (text: string): string =>
  encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD')).replace(
    LEFT_BY_ENCODE_URI_COMPONENT,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The inverse; undefined where the text is not percent-encoded UTF-8. A `+` is a plus here. */
export const oauthDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};
