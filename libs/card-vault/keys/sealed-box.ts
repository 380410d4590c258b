import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import type { Random } from '@app/kernel';

const LENGTH_BYTES = 4;

/**
 * Length-prefixed concatenation: each part follows its length of 4 bytes, big endian; texts are UTF-8 (safety, section 5.2). Different lists give different bytes.
 * All authenticated or digested data use it. The edge must refuse lone surrogates, which UTF-8 cannot represent.
 */
export const lp = (parts: readonly (string | Uint8Array)[]): Buffer => asciiLp(parts) ?? mixedLp(parts);

const PREFIX_OF_SHORT = Array.from({ length: 0x80 }, (_, length) => `\0\0\0${String.fromCharCode(length)}`);

const asciiLp = (parts: readonly (string | Uint8Array)[]): Buffer | undefined => {
  let joined = '';
  for (const part of parts) {
    const prefix = typeof part === 'string' ? PREFIX_OF_SHORT[part.length] : undefined;
    if (prefix === undefined) return undefined;
    joined += prefix + (part as string);
  }
  return Buffer.byteLength(joined) === joined.length ? Buffer.from(joined, 'latin1') : undefined;
};

const mixedLp = (parts: readonly (string | Uint8Array)[]): Buffer => {
  let sizeBytes = 0;
  for (const part of parts) sizeBytes += LENGTH_BYTES + (typeof part === 'string' ? Buffer.byteLength(part) : part.length);
  const joined = Buffer.allocUnsafe(sizeBytes);
  let at = 0;
  for (const part of parts) {
    const from = at + LENGTH_BYTES;
    let lengthBytes: number;
    if (typeof part === 'string') {
      lengthBytes = joined.write(part, from, 'utf8');
    } else {
      joined.set(part, from);
      lengthBytes = part.length;
    }
    joined.writeUInt32BE(lengthBytes, at);
    at = from + lengthBytes;
  }
  return joined;
};

/** The first `count` parts of an `lp` result, and the remaining bytes; undefined if it is cut short. */
export const readLp = (joined: Buffer, count: number): { readonly parts: readonly Buffer[]; readonly rest: Buffer } | undefined => {
  const parts: Buffer[] = [];
  let at = 0;
  while (parts.length < count) {
    if (at + LENGTH_BYTES > joined.length) return undefined;
    const from = at + LENGTH_BYTES;
    const end = from + joined.readUInt32BE(at);
    if (end > joined.length) return undefined;
    parts.push(joined.subarray(from, end));
    at = end;
  }
  return { parts, rest: joined.subarray(at) };
};

const CIPHER = 'aes-256-gcm';
export const KEY_BYTES = 32;
export const IV_BYTES = 12;
export const TAG_BYTES = 16;
export const BOX_OVERHEAD_BYTES = IV_BYTES + TAG_BYTES;

type Key = KeyObject | Uint8Array;

/** The ciphertext was changed, cut, moved, or sealed under another key. The service never writes such a state. */
export class SealedBoxRefused extends Error {
  override readonly name = 'SealedBoxRefused';
}

/**
 * `iv
 * ciphertext
 * tag`. Never use an iv twice under one key. `aad` binds the box to its place.
 */
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

/** @throws SealedBoxRefused; the length is checked first, because the cipher itself accepts a tag of four bytes (safety, T49) */
export const open = (key: Key, box: Uint8Array, aad: Uint8Array): Buffer => {
  if (box.length < BOX_OVERHEAD_BYTES) throw new SealedBoxRefused('shorter than its iv and tag');
  const tagAt = box.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, box.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(aad);
  decipher.setAuthTag(box.subarray(tagAt));
  const plaintext = decipher.update(box.subarray(IV_BYTES, tagAt));
  try {
    decipher.final();
  } catch {
    plaintext.fill(0);
    throw new SealedBoxRefused('does not authenticate');
  }
  return plaintext;
};

/** Random bytes are drawn in bulk, because each call costs a third of a sealing. */
const IVS_PER_DRAW = 256;

export class Ivs {
  readonly #random: Random;
  #drawn: Uint8Array = new Uint8Array(0);
  #used = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Uint8Array {
    if (this.#used === this.#drawn.length) {
      this.#drawn = this.#random.bytes(IVS_PER_DRAW * IV_BYTES);
      this.#used = 0;
    }
    const iv = this.#drawn.subarray(this.#used, this.#used + IV_BYTES);
    this.#used += IV_BYTES;
    return iv;
  }
}
