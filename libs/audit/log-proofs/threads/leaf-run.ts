import { categoryOf, type StoredEvent } from '@app/event-store';
import { hasLeaf, leafText } from '../building/log-leaf';
import { HASH_BYTES, subtreeRoot, writeLeafHash } from '../merkle/merkle-hash';
import { TILE_WIDTH } from '../tiles/tile-path';
import type { LeafRun } from '../verifying/leaf-runs';

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;
const CATEGORIES_MAX = 32;

/** Buffers that share their memory with no other, so that another thread can take it over. */
const own = (bytes: number): Buffer => Buffer.from(new ArrayBuffer(bytes));

/** Hashes events that are expected to fill so many tiles; undefined where they do not. @throws BrokenChain and whatever the iteration throws */
export const leafRunOf = (events: Iterable<StoredEvent>, tiles: number): LeafRun | undefined => {
  const [leaves, roots] = [own(tiles * TILE_BYTES), own(tiles * HASH_BYTES)];
  const categories = new Set<string>();
  let [at, leftOut] = [0, 0];
  for (const event of events) {
    if (!hasLeaf(event)) {
      leftOut += 1;
      categories.add(categoryOf(event.stream));
      if (categories.size > CATEGORIES_MAX) return undefined;
      continue;
    }
    if (at === leaves.length) return undefined;
    writeLeafHash(leafText(event), leaves, at);
    at += HASH_BYTES;
  }
  if (at < leaves.length) return undefined;
  for (let tile = 0; tile < tiles; tile++)
    subtreeRoot(leaves.subarray(tile * TILE_BYTES, (tile + 1) * TILE_BYTES)).copy(roots, tile * HASH_BYTES);
  return { leaves, roots, leftOut, leftOutCategories: [...categories] };
};
