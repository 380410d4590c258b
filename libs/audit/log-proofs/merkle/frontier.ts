import { EMPTY_ROOT, nodeHash } from './merkle-hash';
import { assertTreeSize } from './tree-ranges';

/** Called for every perfect subtree that a leaf completes, itself first. */
export type OnSubtree = (height: number, index: number, hash: Buffer) => void;

/** The right edge of a tree: all that is needed to add leaves and to know the root, in memory that grows with the logarithm of its size. */
export class Frontier {
  readonly #onSubtree: OnSubtree | undefined;
  /** The roots of the perfect subtrees, the largest first. */
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
    this.pushSubtree(0, leaf);
  }

  /** Adds the 2^height leaves of a perfect subtree by its root. @throws RangeError where none of that height can begin here */
  pushSubtree(ofHeight: number, root: Buffer): void {
    const leaves = 2 ** ofHeight;
    if (this.#size % leaves !== 0) throw new RangeError(`no subtree of ${leaves} leaves begins at leaf ${this.#size}`);
    let hash = root;
    let height = ofHeight;
    let index = this.#size / leaves;
    this.#onSubtree?.(height, index, hash);
    while (index % 2 === 1) {
      hash = nodeHash(this.#peaks.pop() as Buffer, hash);
      height += 1;
      index = (index - 1) / 2;
      this.#onSubtree?.(height, index, hash);
    }
    this.#peaks.push(hash);
    this.#size += leaves;
  }

  root(): Buffer {
    return foldedPeaks(this.#peaks);
  }
}

/** The root over perfect subtrees that stand beside each other, the largest first. */
export const foldedPeaks = (peaks: readonly Buffer[]): Buffer => {
  const [last, ...others] = [...peaks].reverse();
  return last === undefined ? EMPTY_ROOT : others.reduce((root, peak) => nodeHash(peak, root), last);
};
