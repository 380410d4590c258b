import { randomBytes } from 'node:crypto';
import { Secret } from '@app/kernel';

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

/** Takes the key's place where the login is unknown: the same work is done, and no control fits (safety, T10). */
export const KEY_OF_NOBODY: ControlKey = new Secret(randomBytes(18).toString('hex'));
