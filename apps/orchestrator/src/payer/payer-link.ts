import { ORDER_KINDS, type AttemptKey, type OrderKind, type OrderKindLetter } from '@app/kernel';
import { base32, categoryOf, fromBase32, type StreamName } from '@app/event-store';

/** An order's stream and an attempt's key, of which the one names the order and the other is the right to see it. */
export interface PayerLink {
  readonly stream: StreamName;
  readonly key: AttemptKey;
}

/** The kind's letter, 32 bytes of the stream's name and 16 of the key, each in base64url. */
const PLACE = /^([prvt])([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{22})$/;
export const PLACE_CHARACTERS = 66;

const letterOf = (kind: string): OrderKindLetter => {
  const letter = (Object.keys(ORDER_KINDS) as OrderKindLetter[]).find((one) => ORDER_KINDS[one] === (kind as OrderKind));
  if (letter === undefined) throw new Error(`${kind} is no kind of order`);
  return letter;
};

const uuidOf = (hex: string): string => [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');

/** Short, because a device is told the whole address in at most 128 characters (interface, section 3.2). @throws Error where the stream is no order's */
export const placeOf = (stream: StreamName, key: AttemptKey): string => {
  const category = categoryOf(stream);
  const name = Buffer.from(fromBase32(stream.slice(category.length + 1))).toString('base64url');
  return `${letterOf(category)}${name}${Buffer.from(key.replaceAll('-', ''), 'hex').toString('base64url')}`;
};

/** Undefined where `placeOf` cannot have written the text. */
export const readPlace = (text: string): PayerLink | undefined => {
  const [, letter, name = '', key = ''] = PLACE.exec(text) ?? [];
  if (letter === undefined) return undefined;
  const stream = `${ORDER_KINDS[letter as OrderKindLetter]}-${base32(Buffer.from(name, 'base64url'))}` as StreamName;
  const place = { stream, key: uuidOf(Buffer.from(key, 'base64url').toString('hex')) as AttemptKey };
  // The last character of each holds bits that mean nothing: one place has one text.
  return placeOf(place.stream, place.key) === text ? place : undefined;
};
