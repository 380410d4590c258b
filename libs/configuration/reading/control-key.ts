const HEX = /^(?:[0-9a-f]{2})+$/i;
/** Minimum length of a control key (protocol decisions, section 5). */
const CONTROL_KEY_BYTES_MIN = 16;
const CONTROL_KEY_BYTES_MAX = 128;

const withoutDashes = (text: string): string => text.replaceAll('-', '');

/** Hexadecimal without its dashes, even length, at least 16 bytes. `Buffer.from('zz', 'hex')` is silently empty, and an empty key lets anyone sign (protocol decisions, section 5; safety, T3). */
export const isControlKey = (text: string): boolean => {
  if (text.length > CONTROL_KEY_BYTES_MAX * 3) return false;
  const hex = withoutDashes(text);
  return HEX.test(hex) && hex.length >= CONTROL_KEY_BYTES_MIN * 2 && hex.length <= CONTROL_KEY_BYTES_MAX * 2;
};

/** Equal for two spellings of one key: Group B ignores dashes and case. */
export const controlKeyIdentity = (text: string): string => withoutDashes(text).toLowerCase();
