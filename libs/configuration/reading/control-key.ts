const HEX = /^(?:[0-9a-f]{2})+$/i;
/** Bytes that a control key has at least (protocol decisions, section 5). */
const CONTROL_KEY_BYTES_MIN = 16;
const CONTROL_KEY_BYTES_MAX = 128;

const withoutDashes = (text: string): string => text.replaceAll('-', '');

/**
 * Hexadecimal once its dashes are removed, even in length, at least 16 bytes: `Buffer.from('zz', 'hex')` is silently empty, and an empty key lets
 * anybody sign (protocol decisions, section 5; safety, T3).
 */
export const isControlKey = (text: string): boolean => {
  if (text.length > CONTROL_KEY_BYTES_MAX * 3) return false;
  const hex = withoutDashes(text);
  return HEX.test(hex) && hex.length >= CONTROL_KEY_BYTES_MIN * 2 && hex.length <= CONTROL_KEY_BYTES_MAX * 2;
};

/** The same for two spellings of one key: dashes and case make no other key in Group B. */
export const controlKeyIdentity = (text: string): string => withoutDashes(text).toLowerCase();
