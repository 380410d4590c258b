import { foldedPeaks } from './frontier';
import { consistencyRanges, inclusionRanges, nodesOf, type LeafRange, type TreeNode } from './tree-ranges';

/** Where the hashes of a tree's perfect subtrees are read. */
export interface NodeSource {
  node(node: TreeNode): Promise<Buffer>;
}

const rangeHash = async (source: NodeSource, range: LeafRange): Promise<Buffer> => {
  const peaks: Buffer[] = [];
  for (const node of nodesOf(range)) peaks.push(await source.node(node));
  return foldedPeaks(peaks);
};

const hashesOf = async (source: NodeSource, ranges: readonly LeafRange[]): Promise<readonly Buffer[]> => {
  const hashes: Buffer[] = [];
  for (const range of ranges) hashes.push(await rangeHash(source, range));
  return hashes;
};

/** The root of the tree's first `size` leaves. */
export const rootAt = (source: NodeSource, size: number): Promise<Buffer> => rangeHash(source, { start: 0, end: size });

/** The roots of the perfect subtrees of the tree's first `size` leaves, the largest first. */
export const peaksAt = async (source: NodeSource, size: number): Promise<readonly Buffer[]> => {
  const peaks: Buffer[] = [];
  for (const node of nodesOf({ start: 0, end: size })) peaks.push(await source.node(node));
  return peaks;
};

/** The path for `isIncluded`. @throws RangeError where the tree has no such leaf */
export const inclusionPath = (source: NodeSource, index: number, size: number): Promise<readonly Buffer[]> =>
  hashesOf(source, inclusionRanges(index, size));

/** The path for `isConsistent`. @throws RangeError where the older tree is the larger one */
export const consistencyPath = (source: NodeSource, oldSize: number, size: number): Promise<readonly Buffer[]> =>
  hashesOf(source, consistencyRanges(oldSize, size));
