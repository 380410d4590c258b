import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

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
