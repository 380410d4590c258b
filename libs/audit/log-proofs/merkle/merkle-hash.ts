import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

/** As a text of one character a byte, which Node returns in half the time that a buffer takes: verification is bound by it. */
const sha256Text = (data: string | Uint8Array): string => hash('sha256', data, 'binary');
const sha256 = (data: string | Uint8Array): Buffer => Buffer.from(sha256Text(data), 'latin1');

/** The root of a tree without leaves (RFC 6962, section 2.1). */
export const EMPTY_ROOT: Buffer = sha256('');

/** The hash of a leaf: SHA-256 over 0x00 and the leaf's UTF-8 bytes (RFC 6962, section 2.1). */
export const leafHash = (leaf: string): Buffer => sha256(`\0${leaf}`);

// Written anew by every call, which is synchronous: an allocation for each node would cost as much as the hash.
const PAIR = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** The hash of an inner node: SHA-256 over 0x01 and the hashes of its two children (RFC 6962, section 2.1). */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => {
  PAIR.set(left, 1);
  PAIR.set(right, 1 + HASH_BYTES);
  return sha256(PAIR);
};

/** Writes the hash of a leaf where it belongs among others. */
export const writeLeafHash = (leaf: string, into: Buffer, at: number): void => {
  into.write(sha256Text(`\0${leaf}`), at, 'latin1');
};

/** Turns the hashes of a row of nodes, an even number, into those of their parents, which take its first half. */
const raise = (row: Buffer, nodes: number): void => {
  for (let parent = 0; parent < nodes / 2; parent++) {
    row.copy(PAIR, 1, 2 * parent * HASH_BYTES, 2 * (parent + 1) * HASH_BYTES);
    row.write(sha256Text(PAIR), parent * HASH_BYTES, 'latin1');
  }
};

/** The root of a perfect subtree over leaves that lie side by side. @param leaves hashes, as many as a power of two */
export const subtreeRoot = (leaves: Uint8Array): Buffer => {
  const row = Buffer.from(leaves);
  for (let nodes = row.length / HASH_BYTES; nodes > 1; nodes /= 2) raise(row, nodes);
  return row.subarray(0, HASH_BYTES);
};
