import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '@app/kernel';

/** In UTF-8. Almost all secrets and signatures are shorter. */
const BYTES_MAX = 512;
const UTF8_BYTES_MAX = 3;

const ourBytes = Buffer.alloc(BYTES_MAX);
const theirBytes = Buffer.alloc(BYTES_MAX);
const processKey = randomBytes(32);

const fits = ({ length }: string): boolean => length * UTF8_BYTES_MAX <= BYTES_MAX;
const maskOf = (text: string): Buffer => createHmac('sha256', processKey).update(text, 'utf8').digest();

/** Always compares the same number of bytes. Ten times faster than comparing two HMACs. */
const isSameInPlace = (ours: string, theirs: string): boolean => {
  const ourLength = ourBytes.write(ours);
  const theirLength = theirBytes.write(theirs);
  const isSame = timingSafeEqual(ourBytes, theirBytes);
  // Clears the buffer, so that no secret remains.
  ourBytes.fill(0);
  theirBytes.fill(0);
  return isSame && ourLength === theirLength;
};

/** Compares in a time that reveals neither content nor length of `ours` (safety, T2). */
export const isSameSecret = (ours: string, theirs: string): boolean =>
  fits(ours) && fits(theirs) ? isSameInPlace(ours, theirs) : timingSafeEqual(maskOf(ours), maskOf(theirs));

/** The same for hexadecimal text in either case (protocol decisions, sections 5 and 12). */
export const isSameHex = (ours: string, theirs: string): boolean => isSameSecret(ours.toLowerCase(), theirs.toLowerCase());

/** A merchant's `merchant_control` (interface, section 5.1). Never sent. */
export type ControlKey = Secret<string>;

/** Protocol decisions, section 5. */
export const CONTROL_KEY_BYTES_MIN = 16;

const HEX = /^[0-9a-f]+$/i;

/** Checks strictly, because Buffer silently truncates invalid hexadecimal, at worst to nothing (safety, T3). */
export const isControlKey = (text: string): boolean => {
  const digits = text.replaceAll('-', '');
  return HEX.test(digits) && digits.length % 2 === 0 && digits.length >= 2 * CONTROL_KEY_BYTES_MIN;
};

/**
 * The binary HMAC key of Group B, without dashes (interface, section 5.3).
 * @throws Error for an invalid key
 */
export const controlKeyBytes = (key: ControlKey): Buffer => {
  if (!isControlKey(key.reveal())) throw new Error('a control key that is none');
  return Buffer.from(key.reveal().replaceAll('-', ''), 'hex');
};

const HEX_DIGIT = /[0-9a-f]/gi;

/**
 * A key for unauthenticated requests with the same size and dashes, so that the same work is done and no checksum fits
 * (safety, T10).
 */
export const decoyControlKey = (like: ControlKey): ControlKey => {
  const text = like.reveal();
  const digits = randomBytes(text.length).toString('hex');
  return new Secret(text.replace(HEX_DIGIT, (_digit, at: number) => digits.charAt(at)));
};
