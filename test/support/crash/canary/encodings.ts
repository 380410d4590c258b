import { gzipSync } from 'node:zlib';

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const grouped = (text: string, separator: string): string => text.replace(/.{4}(?=.)/g, `$&${separator}`);
const perCharacter = (text: string, encode: (hex: string) => string): string =>
  [...text].map((character) => encode(character.charCodeAt(0).toString(16).padStart(2, '0'))).join('');

const SEXTET_BITS = 6;
const BYTE_BITS = 8;

const base64At = (text: string, bytesBefore: number, alphabet: 'base64' | 'base64url'): Buffer => {
  const bytes = Buffer.concat([Buffer.alloc(bytesBefore), ascii(text)]);
  const whole = bytes.toString(alphabet);
  const from = Math.ceil((bytesBefore * BYTE_BITS) / SEXTET_BITS);
  const to = Math.floor((bytes.length * BYTE_BITS) / SEXTET_BITS);
  return ascii(whole.slice(from, to));
};

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** Encodings in which a text may be stored (safety, section 5.6). Gzip is not listed: the scanner unpacks compressed bytes. */
export const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  plain: ascii,
  spaced: (text) => ascii(grouped(text, ' ')),
  dashed: (text) => ascii(grouped(text, '-')),
  percent: (text) => ascii(perCharacter(text, (hex) => `%${hex.toUpperCase()}`)),
  'json-escaped': (text) => ascii(perCharacter(text, (hex) => `\\u00${hex}`)),
  'base64 at 0': (text) => base64At(text, 0, 'base64'),
  'base64 at 1': (text) => base64At(text, 1, 'base64'),
  'base64 at 2': (text) => base64At(text, 2, 'base64'),
  base64url: (text) => base64At(text, 0, 'base64url'),
  hex: (text) => ascii(Buffer.from(text, 'latin1').toString('hex')),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': utf16be,
  reversed: (text) => ascii([...text].reverse().join('')),
};

export const GZIP = 'gzip';
export const ENCODING_NAMES: readonly string[] = [...Object.keys(ENCODINGS), GZIP];

/** Encodes a text like a careless store, to prove that the scanner finds it. */
export const planted = (text: string, encoding: string): Buffer => {
  const encode = ENCODINGS[encoding];
  return encode === undefined ? gzipSync(`a text with ${text} in it`) : encode(text);
};
