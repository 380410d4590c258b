import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const processKey = randomBytes(32);

const maskOf = (text: string): Buffer => createHmac('sha256', processKey).update(text, 'utf8').digest();

/** Compares what a stranger sent with what we computed, in a time that tells neither content nor length of ours (safety, T2). */
export const isSameSecret = (ours: string, theirs: string): boolean => timingSafeEqual(maskOf(ours), maskOf(theirs));

/** The same for hexadecimal text in either case: the HMAC values of Group B (protocol decisions, section 5). */
export const isSameHex = (ours: string, theirs: string): boolean => isSameSecret(ours.toLowerCase(), theirs.toLowerCase());
