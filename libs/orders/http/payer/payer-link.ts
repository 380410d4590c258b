import { ORDER_KINDS, type AttemptKey, type OrderKind, type OrderKindLetter } from '@app/kernel';
import { base32, categoryOf, fromBase32, type StreamName } from '@app/event-store';
import type { PayerAddresses } from '../../application/gates/submit-attempt';

export interface PayerLink {
  readonly stream: StreamName;
  readonly key: AttemptKey;
}

const STREAM = new RegExp(`^(${Object.values(ORDER_KINDS).join('|')})-[a-z2-7]{52}$`);
const ATTEMPT_KEY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Undefined if one of the two parts is malformed. */
export const readPayerLink = (stream: string, key: string): PayerLink | undefined =>
  STREAM.test(stream) && ATTEMPT_KEY.test(key) ? { stream: stream as StreamName, key: key as AttemptKey } : undefined;

/** The letter of the order's kind, then 32 bytes of the stream's name and 16 of the key in base64url. */
const ENCODED = /^([prvt])([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{22})$/;
export const PAYER_LINK_CHARACTERS = 66;

const letterOf = (kind: string): OrderKindLetter => {
  const letter = (Object.keys(ORDER_KINDS) as OrderKindLetter[]).find((one) => ORDER_KINDS[one] === (kind as OrderKind));
  if (letter === undefined) throw new Error(`${kind} is no kind of order`);
  return letter;
};

const uuidOf = (hex: string): string => [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');

/**
 * Short, because a device takes a whole address of at most 128 characters (interface, section 3.2).
 * @throws Error if the stream is not an order's
 */
export const encodePayerLink = (stream: StreamName, key: AttemptKey): string => {
  const category = categoryOf(stream);
  const name = Buffer.from(fromBase32(stream.slice(category.length + 1))).toString('base64url');
  return `${letterOf(category)}${name}${Buffer.from(key.replaceAll('-', ''), 'hex').toString('base64url')}`;
};

export const decodePayerLink = (text: string): PayerLink | undefined => {
  const [, letter, name = '', key = ''] = ENCODED.exec(text) ?? [];
  if (letter === undefined) return undefined;
  const stream = `${ORDER_KINDS[letter as OrderKindLetter]}-${base32(Buffer.from(name, 'base64url'))}` as StreamName;
  const link = { stream, key: uuidOf(Buffer.from(key, 'base64url').toString('hex')) as AttemptKey };
  // Unused bits allow other texts for the same link; only one is valid.
  return encodePayerLink(link.stream, link.key) === text ? link : undefined;
};

/** The payer's page addresses contain the attempt key, which cannot be guessed. */
export class PayerPages implements PayerAddresses {
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  startUrl(stream: StreamName, key: AttemptKey): string {
    return `${this.#base}/payer/${encodePayerLink(stream, key)}`;
  }

  returnUrl(stream: StreamName, key: AttemptKey): string {
    return `${this.#base}/payer/${stream}/${key}/return`;
  }

  simulatedAuthenticationUrl(gate: string, key: AttemptKey): string {
    return `${this.#base}/simulator/authentication/${gate}/${key}`;
  }
}
