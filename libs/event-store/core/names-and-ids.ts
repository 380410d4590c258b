import { hash } from 'node:crypto';
import type { StreamName, EventId, Position } from './port';

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

/** Prefixes a text with its length in UTF-8 bytes, so that joined texts are unambiguous. */
export const lengthPrefixed = (text: string): string => `${Buffer.byteLength(text)}:${text}`;

/** A position of any store. */
export const POSITION = /^\d{1,20}(?:\/\d{1,20})?$/;

/** Undefined unless the text has the form of the head, because a store cannot compare two forms. */
export const positionLike = (head: Position, text: string): Position | undefined =>
  POSITION.test(text) && text.includes('/') === head.includes('/') ? (text as Position) : undefined;

const CATEGORY = /^[a-zA-Z][a-zA-Z0-9]{0,63}$/;

/** @throws Error for a name that EventStoreDB would split: it uses the text before the first hyphen as the category */
export const assertCategory = (category: string): void => {
  if (!CATEGORY.test(category)) throw new Error(`not a category: ${JSON.stringify(category)}`);
};

export const categoryOf = (stream: StreamName): string => {
  const hyphen = stream.indexOf('-');
  return hyphen < 0 ? stream : stream.slice(0, hyphen);
};

/** `<category>-<base32 of SHA-256 over the length-prefixed parts>`: the stream's name is the idempotency key (architecture, rule 1). */
export const streamName = (category: string, ...parts: readonly string[]): StreamName => {
  assertCategory(category);
  const text = parts.map(lengthPrefixed).join('');
  return `${category}-${base32(hash('sha256', text, 'buffer'))}` as StreamName;
};

/** The UUIDv5 namespace of our event ids. It must never change, or retries would get new ids. */
const NAMESPACE = Buffer.from('5c1a6f0e2d9b4f7a8e3cb04d7a91f6e2', 'hex');

/**
 * UUIDv5 of stream, command id and index: retries produce the same ids (architecture, rule 2). UUIDv5 prescribes SHA-1; security does not
 * depend on it.
 */
export const eventId = (stream: StreamName, commandId: string, index: number): EventId => {
  const name = Buffer.from(`${lengthPrefixed(stream)}${lengthPrefixed(commandId)}${index}`);
  const digest = hash('sha1', Buffer.concat([NAMESPACE, name]), 'hex');
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}` as EventId;
};
