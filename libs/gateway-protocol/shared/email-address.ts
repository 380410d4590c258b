const LOCAL_LENGTH_MAX = 64;
const DOMAIN_LENGTH_MAX = 253;
const LOCAL_ATOM = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const DOMAIN_LABEL = /^(?!-)[\p{L}\p{N}-]{1,63}$/u;

/** Dot-atom `@` domain of two labels or more; letters of any script (RFC 6531). No quoted local part, no address literal. Linear (safety, T27). */
export const isEmailAddress = (text: string): boolean => {
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
