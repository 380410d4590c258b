/** A run of leaves, from `start` (inclusive) to `end` (exclusive). */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** A perfect subtree: the leaves from `index * 2^height` on, `2^height` of them. */
export interface TreeNode {
  readonly height: number;
  readonly index: number;
}

/** @throws RangeError for a size that no tree has */
export const assertTreeSize = (size: number): void => {
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`${size} is no size of a tree`);
};

/** The largest power of two below `leaves`, where RFC 6962 splits a tree. */
const splitOf = (leaves: number): number => {
  let split = 1;
  while (split * 2 < leaves) split *= 2;
  return split;
};

/** The perfect subtrees that a run of leaves consists of, from left to right; the run begins where a tree of its size may begin. */
export const nodesOf = ({ start, end }: LeafRange): readonly TreeNode[] => {
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

/** The runs whose roots prove that a tree of this size holds a leaf at `index`, from the leaf upwards (RFC 6962, section 2.1.1). */
export const inclusionRanges = (index: number, size: number): readonly LeafRange[] => {
  assertTreeSize(size);
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  const ranges: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (index < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.reverse();
};

/** The runs whose roots prove that a tree of `size` leaves begins with the tree of `oldSize` (RFC 6962, section 2.1.2). */
export const consistencyRanges = (oldSize: number, size: number): readonly LeafRange[] => {
  assertTreeSize(oldSize);
  assertTreeSize(size);
  if (oldSize > size) throw new RangeError(`a tree of ${size} leaves does not begin with one of ${oldSize}`);
  if (oldSize === 0) return [];
  const ranges: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end > oldSize) {
    const middle = start + splitOf(end - start);
    if (oldSize <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // Where the old tree is itself a subtree from the first leaf on, its root is known to whoever checks.
  if (start > 0) ranges.push({ start, end });
  return ranges.reverse();
};
