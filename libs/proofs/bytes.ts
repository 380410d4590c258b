import { sha256 } from '@noble/hashes/sha2.js';

export { sha256 };

/** UTF-8 bytes. @throws RangeError for a lone surrogate, which has none */
export const utf8 = (text: string): Uint8Array => {
  if (!text.isWellFormed()) throw new RangeError('a text with half a character');
  return new TextEncoder().encode(text);
};

export const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const joined = (...parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

export const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at]);

/** Bytes of a base 64 text; undefined unless it is the one text that stands for them. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  try {
    const binary = atob(text);
    return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
};

/** Each text after its length in bytes and a colon. */
export const prefixed = (...texts: readonly string[]): Uint8Array =>
  joined(...texts.map(utf8).flatMap((bytes) => [utf8(`${bytes.length}:`), bytes]));
