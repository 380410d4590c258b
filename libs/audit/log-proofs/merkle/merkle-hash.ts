import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

/** The root of a tree without leaves (RFC 6962, section 2.1). */
export const EMPTY_ROOT: Buffer = hash('sha256', '', 'buffer');

/** The hash of a leaf: SHA-256 over 0x00 and the leaf's UTF-8 bytes (RFC 6962, section 2.1). */
export const leafHash = (leaf: string): Buffer => hash('sha256', `\0${leaf}`, 'buffer');

// Written anew by every call, which is synchronous: an allocation for each node would cost as much as the hash.
const PAIR = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** The hash of an inner node: SHA-256 over 0x01 and the hashes of its two children (RFC 6962, section 2.1). */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => {
  PAIR.set(left, 1);
  PAIR.set(right, 1 + HASH_BYTES);
  return hash('sha256', PAIR, 'buffer');
};
