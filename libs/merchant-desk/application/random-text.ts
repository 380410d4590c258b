import type { Random } from '@app/kernel';

/** 64 characters, so that six bits of a byte choose one without bias (protocol decisions, section 8). */
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ^$';
/** Of an access token and of a nonce. */
export const RANDOM_TEXT_LENGTH = 64;

/** 64 characters of `[0-9a-zA-Z^$]` from a cryptographic source: 384 bits. */
export const randomText = (random: Random): string =>
  Array.from(random.bytes(RANDOM_TEXT_LENGTH), (byte) => ALPHABET.charAt(byte & 63)).join('');
