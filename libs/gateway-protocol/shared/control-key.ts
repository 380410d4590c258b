import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '@app/kernel';

/** Limit of texts that are compared in place, in UTF-8; almost every secret and signature is shorter. */
const BYTES_MAX = 512;
const UTF8_BYTES_MAX = 3;

const ourBytes = Buffer.alloc(BYTES_MAX);
const theirBytes = Buffer.alloc(BYTES_MAX);
const processKey = randomBytes(32);

const fits = ({ length }: string): boolean => length * UTF8_BYTES_MAX <= BYTES_MAX;
const maskOf = (text: string): Buffer => createHmac('sha256', processKey).update(text, 'utf8').digest();

/** The same number of bytes is compared whatever the lengths, at a tenth of the cost of two masks. */
const isSameInPlace = (ours: string, theirs: string): boolean => {
  const ourLength = ourBytes.write(ours);
  const theirLength = theirBytes.write(theirs);
  const isSame = timingSafeEqual(ourBytes, theirBytes);
  // The next text is met by zeros, and no secret stays behind.
  ourBytes.fill(0);
  theirBytes.fill(0);
  return isSame && ourLength === theirLength;
};

/** Compares an unauthenticated text with a computed one, in a time that reveals neither content nor length of the latter (safety, T2). */
export const isSameSecret = (ours: string, theirs: string): boolean =>
  fits(ours) && fits(theirs) ? isSameInPlace(ours, theirs) : timingSafeEqual(maskOf(ours), maskOf(theirs));

/** The same for hexadecimal text in either case: controls, and the HMAC values of Group B (protocol decisions, sections 5 and 12). */
export const isSameHex = (ours: string, theirs: string): boolean => isSameSecret(ours.toLowerCase(), theirs.toLowerCase());

/** A merchant's `merchant_control` (interface, section 5.1), never sent. */
export type ControlKey = Secret<string>;

/** Bytes that a control key must hold at least (protocol decisions, section 5). */
export const CONTROL_KEY_BYTES_MIN = 16;

const HEX = /^[0-9a-f]+$/i;

/** Hexadecimal once its dashes are removed, even in length, long enough. Anything else Buffer would shorten in silence, at worst to nothing (safety, T3). */
export const isControlKey = (text: string): boolean => {
  const digits = text.replaceAll('-', '');
  return HEX.test(digits) && digits.length % 2 === 0 && digits.length >= 2 * CONTROL_KEY_BYTES_MIN;
};

/**
 * The key of the HMAC values of Group B: dashes removed, hexadecimal to binary (interface, section 5.3).
 * @throws Error for a key that the configuration should never have let in
 */
export const controlKeyBytes = (key: ControlKey): Buffer => {
  if (!isControlKey(key.reveal())) throw new Error('a control key that is none');
  return Buffer.from(key.reveal().replaceAll('-', ''), 'hex');
};

const HEX_DIGIT = /[0-9a-f]/gi;

/**
 * Takes the key's place where a request names a merchant and is not the merchant's: of the same size, with its dashes where that has them, so that
 * the same work is done in either form of checksum; and no checksum fits it (safety, T10).
 */
export const decoyControlKey = (like: ControlKey): ControlKey =>
  new Secret(like.reveal().replace(HEX_DIGIT, () => ((randomBytes(1)[0] ?? 0) & 0x0f).toString(16)));
