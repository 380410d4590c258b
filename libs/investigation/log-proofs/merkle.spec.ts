import { createHash } from 'node:crypto';
import fc from 'fast-check';
import * as browser from '@app/proofs';
import {
  consistencyPath,
  consistencyRanges,
  EMPTY_ROOT,
  Frontier,
  inclusionPath,
  inclusionRanges,
  isConsistent as isConsistentHere,
  isIncluded as isIncludedHere,
  leafHash,
  type NodeSource,
  peaksAt,
  rootAt,
} from './merkle';

const sha = (...parts: readonly Uint8Array[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** RFC 6962, section 2.1, word for word: an independent second implementation. */
const treeHash = (leaves: readonly string[]): Buffer => {
  const [first] = leaves;
  if (first === undefined) return sha();
  if (leaves.length === 1) return sha(Buffer.of(0), Buffer.from(first));
  let k = 1;
  while (2 * k < leaves.length) k *= 2;
  return sha(Buffer.of(1), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)));
};
const path = (m: number, leaves: readonly string[]): readonly Buffer[] => {
  if (leaves.length === 1) return [];
  let k = 1;
  while (2 * k < leaves.length) k *= 2;
  return m < k
    ? [...path(m, leaves.slice(0, k)), treeHash(leaves.slice(k))]
    : [...path(m - k, leaves.slice(k)), treeHash(leaves.slice(0, k))];
};
const subproof = (m: number, leaves: readonly string[], isWhole: boolean): readonly Buffer[] => {
  if (m === leaves.length) return isWhole ? [] : [treeHash(leaves)];
  let k = 1;
  while (2 * k < leaves.length) k *= 2;
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), isWhole), treeHash(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), treeHash(leaves.slice(0, k))];
};

const leavesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `leaf ${index}`);
const sourceOf = (leaves: readonly string[]): NodeSource => ({
  node: ({ height, index }) => Promise.resolve(treeHash(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height))),
});
const frontierOf = (leaves: readonly string[]): Frontier => {
  const frontier = new Frontier();
  for (const leaf of leaves) frontier.push(leafHash(leaf));
  return frontier;
};
/** The service and the browser check proofs by separate code, which must agree. */
const isIncluded: typeof isIncludedHere = (claim, path) => {
  const isHeld = isIncludedHere(claim, path);
  expect(browser.isIncluded(claim.leaf, claim.index, claim, path)).toBe(isHeld);
  return isHeld;
};
const isConsistent: typeof isConsistentHere = (older, later, path) => {
  const isHeld = isConsistentHere(older, later, path);
  expect(browser.isConsistent(older, later, path)).toBe(isHeld);
  return isHeld;
};
const SIZE_MAX = 70;
const sizes = fc.integer({ min: 1, max: SIZE_MAX });

const flipped = (hashes: readonly Buffer[], at: number, bit: number): readonly Buffer[] =>
  hashes.map((hash, index) => {
    if (index !== at) return hash;
    const copy = Buffer.from(hash);
    copy[Math.floor(bit / 8)] = (copy[Math.floor(bit / 8)] ?? 0) ^ (1 << (bit % 8));
    return copy;
  });

describe('Merkle tree (RFC 6962, section 2.1)', () => {
  it('has the hash of the empty string as its root if it has no leaves', () => {
    expect(EMPTY_ROOT.toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(new Frontier().root()).toStrictEqual(EMPTY_ROOT);
  });

  it('prefixes a leaf with 0x00 before hashing, so that no inner node equals a leaf', () => {
    expect(leafHash('').toString('hex')).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
    expect(leafHash('é\ud83d\ude00')).toStrictEqual(sha(Buffer.of(0), Buffer.from('é\ud83d\ude00')));
  });

  it('has the same roots as a second implementation, leaf by leaf', () => {
    const frontier = new Frontier();
    for (let size = 0; size <= SIZE_MAX; size++) {
      expect(frontier.root()).toStrictEqual(treeHash(leavesOf(size)));
      frontier.push(leafHash(`leaf ${size}`));
    }
  });

  it('reports every perfect subtree once, with its hash', () => {
    const seen = new Map<string, string>();
    const frontier = new Frontier((height, index, hash) => {
      expect(seen.has(`${height}/${index}`)).toBe(false);
      seen.set(`${height}/${index}`, hash.toString('hex'));
    });
    const leaves = leavesOf(37);
    for (const leaf of leaves) frontier.push(leafHash(leaf));
    const expected = [0, 1, 2, 3, 4, 5].flatMap((height) =>
      Array.from({ length: Math.floor(37 / 2 ** height) }, (_, index): [string, string] => [
        `${height}/${index}`,
        treeHash(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height)).toString('hex'),
      ]),
    );
    expect([...seen].sort()).toStrictEqual(expected.sort());
  });

  it('continues from its peaks at any size', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(40), async (size, more) => {
        const leaves = leavesOf(size + more);
        const frontier = new Frontier(undefined, size, await peaksAt(sourceOf(leaves), size));
        for (const leaf of leaves.slice(size)) frontier.push(leafHash(leaf));
        expect(frontier.root()).toStrictEqual(frontierOf(leaves).root());
        await expect(rootAt(sourceOf(leaves), size)).resolves.toStrictEqual(treeHash(leaves.slice(0, size)));
      }),
    );
  });
});

describe('proof of inclusion (RFC 6962, section 2.1.1)', () => {
  const proofs = fc.tuple(sizes, fc.nat()).map(([size, at]) => ({ size, index: at % size }));

  it('equals that of a second implementation, and leads to the root', async () => {
    await fc.assert(
      fc.asyncProperty(proofs, async ({ size, index }) => {
        const leaves = leavesOf(size);
        const proof = await inclusionPath(sourceOf(leaves), index, size);
        expect(proof).toStrictEqual(path(index, leaves));
        expect(isIncluded({ leaf: leafHash(`leaf ${index}`), index, size, root: treeHash(leaves) }, proof)).toBe(true);
      }),
    );
  });

  it('is refused if a bit or the length changes, or for another leaf, index, size or root', () => {
    fc.assert(
      fc.property(proofs, fc.nat(), fc.nat(255), ({ size, index }, at, bit) => {
        const leaves = leavesOf(size);
        const proof = path(index, leaves);
        const root = treeHash(leaves);
        const claim = { leaf: leafHash(`leaf ${index}`), index, size, root };
        if (proof.length > 0) {
          expect(isIncluded(claim, flipped(proof, at % proof.length, bit))).toBe(false);
          expect(isIncluded(claim, proof.slice(1))).toBe(false);
          expect(isIncluded(claim, proof.slice(0, -1))).toBe(false);
        }
        expect(isIncluded(claim, [...proof, root])).toBe(false);
        expect(isIncluded({ ...claim, leaf: leafHash('another') }, proof)).toBe(false);
        expect(isIncluded({ ...claim, root: treeHash([...leaves, 'more']) }, proof)).toBe(false);
        expect(isIncluded({ ...claim, index: index + size }, proof)).toBe(false);
        for (let other = 0; other < size; other++) if (other !== index) expect(isIncluded({ ...claim, index: other }, proof)).toBe(false);
      }),
    );
  });

  it('is not made for a leaf that the tree does not have', () => {
    for (const [index, size] of [
      [0, 0],
      [5, 5],
      [-1, 5],
      [0.5, 5],
      [0, -1],
      [0, Infinity],
    ] as const)
      expect(() => inclusionRanges(index, size)).toThrow(RangeError);
  });
});

describe('proof of consistency (RFC 6962, section 2.1.2)', () => {
  const pairs = fc.tuple(fc.integer({ min: 0, max: SIZE_MAX }), fc.nat()).map(([size, at]) => ({ size, oldSize: at % (size + 1) }));

  it('equals that of a second implementation, and links the older root to the later one', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, async ({ size, oldSize }) => {
        const leaves = leavesOf(size);
        const proof = await consistencyPath(sourceOf(leaves), oldSize, size);
        expect(proof).toStrictEqual(oldSize === 0 ? [] : subproof(oldSize, leaves, true));
        const older = { size: oldSize, root: treeHash(leaves.slice(0, oldSize)) };
        expect(isConsistent(older, { size, root: treeHash(leaves) }, proof)).toBe(true);
      }),
    );
  });

  it('is refused if a bit or the length changes, and for a tree with a changed old leaf', () => {
    fc.assert(
      fc.property(pairs, fc.nat(), fc.nat(255), ({ size, oldSize }, at, bit) => {
        fc.pre(oldSize > 0);
        const leaves = leavesOf(size);
        const proof = subproof(oldSize, leaves, true);
        const older = { size: oldSize, root: treeHash(leaves.slice(0, oldSize)) };
        const later = { size, root: treeHash(leaves) };
        if (proof.length > 0) {
          expect(isConsistent(older, later, flipped(proof, at % proof.length, bit))).toBe(false);
          expect(isConsistent(older, later, proof.slice(1))).toBe(false);
          expect(isConsistent(older, later, proof.slice(0, -1))).toBe(false);
        }
        expect(isConsistent(older, later, [...proof, older.root])).toBe(false);
        const forged = leaves.map((leaf, index) => (index === at % oldSize ? 'forged' : leaf));
        const fork = { size, root: treeHash(forged) };
        expect(isConsistent(older, fork, subproof(oldSize, forged, true))).toBe(false);
        expect(isConsistent(later, { ...older, size: oldSize - 1 }, proof)).toBe(false);
      }),
    );
  });

  it('is not made backwards', () => {
    expect(() => consistencyRanges(6, 5)).toThrow(new RangeError('a tree of 5 leaves does not begin with one of 6'));
  });

  it('is refused for an empty older tree whose root is not EMPTY_ROOT', () => {
    const later = { size: 1, root: treeHash(['leaf 0']) };
    expect(isConsistent({ size: 0, root: EMPTY_ROOT }, later, [])).toBe(true);
    expect(isConsistent({ size: 0, root: later.root }, later, [])).toBe(false);
  });
});
