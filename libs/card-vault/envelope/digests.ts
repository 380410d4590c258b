import { createHmac, type KeyObject, createCipheriv, createSecretKey } from 'node:crypto';
import {
  isLuhnValid,
  type CardUid,
  type MerchantLogin,
  type Random,
  cardRefIdFrom,
  type CardRefId,
  type ContentDigest,
  type OrderId,
  type EmailDigest,
} from '@app/kernel';
import { lp } from '../keys/sealed-box';
import { deriveBytes, type KeyRing } from '../keys/key-ring';
import type { ServiceDigests, ServiceKeyStream } from '../port';

/** Two identifiers of a card number per merchant (safety, section 5.5). They are random and reveal nothing about it. */
interface DrawnUid {
  readonly uid: CardUid;
  /** `uniqueReferenceCardId` of the device API, which must be an integer. */
  readonly number: number;
}

/** Finds a card by its number; never shown. Keyed, because an unkeyed hash of the digits between BIN and last four is easily inverted. */
export const blindIndex = (key: KeyObject, merchant: MerchantLogin, digits: string): Buffer => {
  const indexed = lp(['panidx', merchant, digits]);
  const index = createHmac('sha256', key).update(indexed).digest();
  indexed.fill(0);
  return index;
};

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'; // 32, so that five bits choose one without bias
const UID_FIRST = 'u';
const UID_RANDOM_CHARACTERS = 19;
const NINE_DIGITS = /\d{9}/;
const NUMBER_BYTES = 7;
const NUMBER_BITS = 53n;
const NUMBER_MIN = 1e8;
const CARD_DIGITS_MIN = 12;
const ROUNDS_MAX = 1_000;

const drawUntil = <Value>(draw: () => Value, isGood: (value: Value) => boolean): Value => {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const value = draw();
    if (isGood(value)) return value;
  }
  throw new Error(`the random source repeats itself: no card uid in ${ROUNDS_MAX} rounds`);
};

const drawText = (random: Random): CardUid =>
  (UID_FIRST + Array.from(random.bytes(UID_RANDOM_CHARACTERS), (byte) => LETTERS[byte & 31]).join('')) as CardUid;

const drawNumber = (random: Random): number =>
  Number(BigInt.asUintN(Number(NUMBER_BITS), BigInt(`0x${Buffer.from(random.bytes(NUMBER_BYTES)).toString('hex')}`)));

/** At least twelve digits that pass the Luhn check. */
export const looksLikeCardNumber = (value: number): boolean => {
  const digits = String(value);
  return digits.length >= CARD_DIGITS_MIN && isLuhnValid(digits);
};

export const drawUid = (random: Random): DrawnUid => ({
  uid: drawUntil(
    () => drawText(random),
    (text) => !NINE_DIGITS.test(text),
  ),
  number: drawUntil(
    () => drawNumber(random),
    (value) => value >= NUMBER_MIN && !looksLikeCardNumber(value),
  ),
});

const DERIVATIONS_MAX = 100;
const COUNTER_BYTES = 16;

const subKey = (serviceKey: KeyObject, purpose: string): KeyObject => {
  const bytes = deriveBytes(serviceKey, purpose);
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
};

/** HMAC-SHA-256 under sub-keys of the service key, over length-prefixed parts, so that different requests have different digests. */
export class KeyedDigests implements ServiceDigests, ServiceKeyStream {
  readonly #contentKey: KeyObject;
  readonly #cardRefKey: KeyObject;
  readonly #onceKey: KeyObject;
  readonly #streamKey: KeyObject;

  constructor({ serviceKey }: KeyRing) {
    this.#contentKey = subKey(serviceKey, 'content digest');
    this.#cardRefKey = subKey(serviceKey, 'card reference');
    this.#onceKey = subKey(serviceKey, 'once key');
    this.#streamKey = subKey(serviceKey, 'key stream');
  }

  contentDigest(parts: readonly string[]): ContentDigest {
    return createHmac('sha256', this.#contentKey).update(lp(parts)).digest('hex') as ContentDigest;
  }

  cardRefId(merchant: MerchantLogin, orderId: OrderId, use: 'source' | 'destination'): CardRefId {
    for (let derivation = 0; derivation < DERIVATIONS_MAX; derivation++) {
      const bytes = createHmac('sha256', this.#cardRefKey)
        .update(lp([merchant, orderId, use, String(derivation)]))
        .digest();
      const id = cardRefIdFrom(bytes);
      if (id !== undefined) return id;
    }
    throw new Error(`no card reference in ${DERIVATIONS_MAX} derivations`);
  }

  keyStream(purpose: string, bytes: number): Uint8Array {
    const key = deriveBytes(this.#streamKey, purpose);
    // The counter starts at 0 each time, because each purpose has its own stream.
    const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(COUNTER_BYTES)).update(Buffer.alloc(bytes));
    key.fill(0);
    return stream;
  }

  onceKey(kind: string, parts: readonly string[]): string {
    return createHmac('sha256', this.#onceKey)
      .update(lp([kind, ...parts]))
      .digest('hex');
  }
}

/**
 * Finds orders by e-mail address while the address stays sealed. Keyed, because a bare hash is found by trying addresses.
 * Ignores case, as mail servers and people do.
 */
export const emailDigest = (digests: Pick<ServiceDigests, 'onceKey'>, email: string): EmailDigest =>
  digests.onceKey('email', [email.trim().toLowerCase()]) as EmailDigest;
