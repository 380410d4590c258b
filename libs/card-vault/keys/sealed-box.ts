import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';

/** AES-256-GCM (safety, section 5.2). */
const CIPHER = 'aes-256-gcm';
export const KEY_BYTES = 32;
export const IV_BYTES = 12;
export const TAG_BYTES = 16;
/** Difference in length between a sealed box and its content. */
export const BOX_OVERHEAD_BYTES = IV_BYTES + TAG_BYTES;

export type Key = KeyObject | Uint8Array;

/** The ciphertext belongs elsewhere, was changed or cut, or was sealed under another key; the service never writes such a state. */
export class BoxRefused extends Error {
  override readonly name = 'BoxRefused';
}

/** `iv | ciphertext | tag`; an iv must never be used twice under one key, and `aad` binds the box to its place. */
export const seal = (key: Key, iv: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Buffer => {
  if (iv.length !== IV_BYTES) throw new RangeError(`an iv has ${IV_BYTES} bytes`);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(aad);
  const ciphertext = cipher.update(plaintext);
  cipher.final(); // empty in a counter mode
  const box = Buffer.allocUnsafe(BOX_OVERHEAD_BYTES + ciphertext.length);
  box.set(iv);
  box.set(ciphertext, IV_BYTES);
  box.set(cipher.getAuthTag(), IV_BYTES + ciphertext.length);
  return box;
};

/** @throws BoxRefused; the length is checked first, because the cipher itself accepts a tag of four bytes (safety, T49) */
export const open = (key: Key, box: Uint8Array, aad: Uint8Array): Buffer => {
  if (box.length < BOX_OVERHEAD_BYTES) throw new BoxRefused('shorter than its iv and tag');
  const tagAt = box.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, box.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(aad);
  decipher.setAuthTag(box.subarray(tagAt));
  const plaintext = decipher.update(box.subarray(IV_BYTES, tagAt));
  try {
    decipher.final();
  } catch {
    plaintext.fill(0);
    throw new BoxRefused('does not authenticate');
  }
  return plaintext;
};
