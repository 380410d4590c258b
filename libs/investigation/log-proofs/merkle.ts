import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

/** Uses a binary string, which Node returns in half the time of a buffer. Verification is bound by hashing. */
const sha256 = (data: string | Uint8Array): Buffer => Buffer.from(hash('sha256', data, 'binary'), 'latin1');

/** The root of a tree without leaves (RFC 6962, section 2.1). */
export const EMPTY_ROOT: Buffer = sha256('');

/** The hash of a leaf: SHA-256 over 0x00 and the leaf's UTF-8 bytes (RFC 6962, section 2.1). */
export const leafHash = (leaf: string): Buffer => sha256(`\0${leaf}`);

// Shared buffer of a synchronous function: an allocation per node would cost as much as the hash.
const PAIR = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** The hash of an inner node: SHA-256 over 0x01 and the hashes of its two children (RFC 6962, section 2.1). */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => {
  PAIR.set(left, 1);
  PAIR.set(right, 1 + HASH_BYTES);
  return sha256(PAIR);
};

interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** A perfect subtree: `2^height` leaves, starting at `index * 2^height`. */
export interface TreeNode {
  readonly height: number;
  readonly index: number;
}

const assertTreeSize = (size: number): void => {
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`${size} is no size of a tree`);
};

/** The largest power of two below `leaves`, the split point of RFC 6962. */
const splitOf = (leaves: number): number => {
  let split = 1;
  while (split * 2 < leaves) split *= 2;
  return split;
};

/** The perfect subtrees of a leaf range, from left to right. Its start must be a possible start of a tree of its size. */
const nodesOf = ({ start, end }: LeafRange): readonly TreeNode[] => {
  const nodes: TreeNode[] = [];
  let from = start;
  for (let height = Math.ceil(Math.log2(Math.max(end - start, 1))); height >= 0; height--) {
    const leaves = 2 ** height;
    if (end - from < leaves) continue;
    nodes.push({ height, index: from / leaves });
    from += leaves;
  }
  return nodes;
};

/** Descends from the whole tree to a range; the ranges beside the way, from the bottom upwards. */
const besideWayTo = (leaf: number, size: number, isReached: (range: LeafRange) => boolean) => {
  const beside: LeafRange[] = [];
  let range: LeafRange = { start: 0, end: size };
  while (!isReached(range)) {
    const { start, end } = range;
    const middle = start + splitOf(end - start);
    const [left, right] = [
      { start, end: middle },
      { start: middle, end },
    ];
    range = leaf < middle ? left : right;
    beside.unshift(leaf < middle ? right : left);
  }
  return { beside, range };
};

/** Ranges whose roots prove a leaf at `index`, from the leaf upwards (RFC 6962, section 2.1.1). */
export const inclusionRanges = (index: number, size: number): readonly LeafRange[] => {
  assertTreeSize(size);
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  return besideWayTo(index, size, ({ start, end }) => end - start === 1).beside;
};

/** Ranges whose roots prove that the tree extends the one of `oldSize` (RFC 6962, section 2.1.2). */
export const consistencyRanges = (oldSize: number, size: number): readonly LeafRange[] => {
  assertTreeSize(oldSize);
  assertTreeSize(size);
  if (oldSize > size) throw new RangeError(`a tree of ${size} leaves does not begin with one of ${oldSize}`);
  if (oldSize === 0) return [];
  const { beside, range } = besideWayTo(oldSize - 1, size, ({ end }) => end === oldSize);
  // If the old tree is itself a subtree from the first leaf, the verifier already knows its root.
  return range.start > 0 ? [range, ...beside] : beside;
};

type OnSubtree = (height: number, index: number, hash: Buffer) => void;

/** The right edge of a tree, enough to add leaves and compute the root in logarithmic memory. */
export class Frontier {
  readonly #onSubtree: OnSubtree | undefined;
  readonly #peaks: Buffer[];
  #size: number;

  /** @param peaks of a tree of `size` leaves, as `nodesOf` orders them */
  constructor(onSubtree?: OnSubtree, size = 0, peaks: readonly Buffer[] = []) {
    assertTreeSize(size);
    this.#onSubtree = onSubtree;
    this.#size = size;
    this.#peaks = [...peaks];
  }

  get size(): number {
    return this.#size;
  }

  push(leaf: Buffer): void {
    let [hash, height, index] = [leaf, 0, this.#size];
    this.#onSubtree?.(height, index, hash);
    while (index % 2 === 1) {
      hash = nodeHash(this.#peaks.pop() as Buffer, hash);
      height += 1;
      index = (index - 1) / 2;
      this.#onSubtree?.(height, index, hash);
    }
    this.#peaks.push(hash);
    this.#size += 1;
  }

  root(): Buffer {
    return foldedPeaks(this.#peaks);
  }
}

/** The root over adjacent perfect subtrees, the largest first. */
const foldedPeaks = (peaks: readonly Buffer[]): Buffer => {
  const [last, ...others] = [...peaks].reverse();
  return last === undefined ? EMPTY_ROOT : others.reduce((root, peak) => nodeHash(peak, root), last);
};

export interface NodeSource {
  node(node: TreeNode): Promise<Buffer>;
}

const hashesOf = async <Part>(parts: readonly Part[], hashOf: (part: Part) => Promise<Buffer>): Promise<readonly Buffer[]> => {
  const hashes: Buffer[] = [];
  for (const part of parts) hashes.push(await hashOf(part));
  return hashes;
};

const nodesIn = (source: NodeSource, range: LeafRange): Promise<readonly Buffer[]> => hashesOf(nodesOf(range), (node) => source.node(node));

const rangeHash = async (source: NodeSource, range: LeafRange): Promise<Buffer> => foldedPeaks(await nodesIn(source, range));

export const rootAt = (source: NodeSource, size: number): Promise<Buffer> => rangeHash(source, { start: 0, end: size });

export const peaksAt = (source: NodeSource, size: number): Promise<readonly Buffer[]> => nodesIn(source, { start: 0, end: size });

/** The path for `isIncluded`. @throws RangeError if the tree has no such leaf */
export const inclusionPath = (source: NodeSource, index: number, size: number): Promise<readonly Buffer[]> =>
  hashesOf(inclusionRanges(index, size), (range) => rangeHash(source, range));

/** The path for `isConsistent`. @throws RangeError if the older tree is larger */
export const consistencyPath = (source: NodeSource, oldSize: number, size: number): Promise<readonly Buffer[]> =>
  hashesOf(consistencyRanges(oldSize, size), (range) => rangeHash(source, range));

const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);
const isSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

interface InclusionClaim {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly root: Uint8Array;
}

/** True if the path leads from the leaf's hash to the root (RFC 9162, section 2.1.3.2). */
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

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** True if the later tree begins with all leaves of the older one (RFC 9162, section 2.1.4.2). */
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
