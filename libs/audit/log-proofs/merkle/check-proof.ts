import { EMPTY_ROOT, nodeHash } from './merkle-hash';

const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);
const isSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

export interface InclusionClaim {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether the path leads from the leaf's hash to the root (RFC 9162, section 2.1.3.2). */
export const isIncluded = ({ leaf, index, size, root }: InclusionClaim, path: readonly Uint8Array[]): boolean => {
  if (!isSize(index) || !isSize(size) || index >= size) return false;
  let node = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      hash = nodeHash(sibling, hash);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && isSame(hash, root);
};

/** A tree: how many leaves it has, and its root. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether the later tree begins with all leaves of the older one, in their order (RFC 9162, section 2.1.4.2). */
export const isConsistent = (older: TreeHead, later: TreeHead, path: readonly Uint8Array[]): boolean => {
  if (!isSize(older.size) || !isSize(later.size) || older.size > later.size) return false;
  if (older.size === later.size) return path.length === 0 && isSame(older.root, later.root);
  if (older.size === 0) return path.length === 0 && isSame(older.root, EMPTY_ROOT);
  const isPowerOfTwo = Number.isInteger(Math.log2(older.size));
  const [first, ...others] = isPowerOfTwo ? [older.root, ...path] : path;
  if (first === undefined) return false;
  let node = older.size - 1;
  let last = later.size - 1;
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  let [olderHash, laterHash] = [first, first];
  for (const sibling of others) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      olderHash = nodeHash(sibling, olderHash);
      laterHash = nodeHash(sibling, laterHash);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      laterHash = nodeHash(laterHash, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && isSame(olderHash, older.root) && isSame(laterHash, later.root);
};
