const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const BITS = 5;

/** RFC 4648, lower case, without padding. */
export const base32 = (bytes: Uint8Array): string => {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= BITS) {
      bits -= BITS;
      text += ALPHABET[(value >>> bits) & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[(value << (BITS - bits)) & 31] : text;
};

/** The inverse of `base32`. @throws Error where the text is not one that `base32` writes */
export const fromBase32 = (text: string): Uint8Array => {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const character of text) {
    value = ((value << BITS) | ALPHABET.indexOf(character)) & 0xfff;
    bits += BITS;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >>> bits) & 0xff);
  }
  const read = Uint8Array.from(bytes);
  if (base32(read) !== text) throw new Error('not a text in base 32');
  return read;
};
