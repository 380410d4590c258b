import { createHmac, type KeyObject } from 'node:crypto';
import { isLuhnValid, type CardUid, type MerchantLogin, type Random } from '@app/kernel';
import { lp } from '../keys/length-prefix';

/** The two identifiers of a card number per merchant (safety, section 5.5); neither reveals anything about the number. */
export interface DrawnUid {
  readonly uid: CardUid;
  /** `uniqueReferenceCardId` of the device API, which must be an integer. */
  readonly number: number;
}

/** Finds a card by its number, and is never shown. It is keyed, because an unkeyed hash of the digits between BIN and last four is easily inverted. */
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

/** @throws Error where the source of chance repeats itself */
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

/** Whether a number looks like a card number: twelve digits or more that pass the Luhn check. */
export const looksLikeCardNumber = (value: number): boolean => {
  const digits = String(value);
  return digits.length >= CARD_DIGITS_MIN && isLuhnValid(digits);
};

/** A text of 20 characters, and an integer uniform in [1e8, 2^53) without those that look like a card number. */
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
