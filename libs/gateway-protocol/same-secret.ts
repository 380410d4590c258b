import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Nobody outside can choose two texts whose masks begin alike. */
const processKey = randomBytes(32).toString('hex');

/** Never leaves this file, so that a plain hash after a secret prefix does. */
const maskOf = (text: string): Buffer => Buffer.from(hash('sha256', processKey + text, 'hex'), 'latin1');

/** Compares what a stranger sent with what we computed, in a time that tells neither content nor length of ours (safety, T2). */
export const isSameSecret = (ours: string, theirs: string): boolean => timingSafeEqual(maskOf(ours), maskOf(theirs));

/** The same for hexadecimal text in either case: the HMAC values of Group B (protocol decisions, section 5). */
export const isSameHex = (ours: string, theirs: string): boolean => isSameSecret(ours.toLowerCase(), theirs.toLowerCase());
