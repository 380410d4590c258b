import { isSame, joined, sha256 } from './bytes';

// Written apart from the code that makes the proofs, as verify.py is: a shared fault would prove itself.

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
const EMPTY_ROOT = sha256(new Uint8Array());

/** RFC 6962, section 2.1. */
export const leafHash = (leaf: Uint8Array): Uint8Array => sha256(joined(LEAF, leaf));

const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(joined(NODE, left, right));

// Bit operations of JavaScript end at 32 bits.
const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

export interface TreeHead {
  /** Number of leaves. */
  readonly size: number;
  readonly root: Uint8Array;
}

/** True if the path leads from the hash of leaf `index` to the root (RFC 9162, section 2.1.3.2). */
export const isIncluded = (leaf: Uint8Array, index: number, { size, root }: TreeHead, path: readonly Uint8Array[]): boolean => {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  let [node, last, value] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      value = nodeHash(sibling, value);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      value = nodeHash(value, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && isSame(value, root);
};

/** True if the later tree begins with all leaves of the older one (RFC 9162, section 2.1.4.2). */
export const isConsistent = (older: TreeHead, later: TreeHead, path: readonly Uint8Array[]): boolean => {
  if (!isCount(older.size) || !isCount(later.size) || older.size > later.size) return false;
  if (older.size === later.size) return path.length === 0 && isSame(older.root, later.root);
  if (older.size === 0) return path.length === 0 && isSame(older.root, EMPTY_ROOT);
  const isPowerOfTwo = Number.isInteger(Math.log2(older.size));
  const [first, ...others] = isPowerOfTwo ? [older.root, ...path] : path;
  if (first === undefined) return false;
  let [node, last] = [older.size - 1, later.size - 1];
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  let [olderValue, laterValue] = [first, first];
  for (const sibling of others) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      olderValue = nodeHash(sibling, olderValue);
      laterValue = nodeHash(sibling, laterValue);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      laterValue = nodeHash(laterValue, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && isSame(olderValue, older.root) && isSame(laterValue, later.root);
};
