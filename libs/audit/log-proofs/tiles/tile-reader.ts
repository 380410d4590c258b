import type { ProofFiles } from '../files/proof-files';
import { HASH_BYTES, nodeHash, type NodeSource, type TreeNode } from '../merkle';
import { TILE_HEIGHT, TILE_WIDTH, tilePath, tileWidth } from './tile-path';

/** A tile is missing or has the wrong length. Tiles are derived: they can be built again from the log. */
export class TileDamaged extends Error {
  override readonly name = 'TileDamaged';
}

const TILES_KEPT_MAX = 64;

/** The tiles of a tree of one size, which a running service may be adding to meanwhile. */
export class TileReader implements NodeSource {
  readonly #files: ProofFiles;
  readonly #treeSize: number;
  readonly #kept = new Map<string, Buffer>();

  constructor(files: ProofFiles, treeSize: number) {
    this.#files = files;
    this.#treeSize = treeSize;
  }

  get treeSize(): number {
    return this.#treeSize;
  }

  /** The hashes of a tile, as many as the tree has. @throws TileDamaged */
  async tile(level: number, number: number): Promise<Buffer> {
    const width = tileWidth(level, number, this.#treeSize);
    const path = tilePath(level, number, width);
    const kept = this.#kept.get(path);
    if (kept !== undefined) return kept;
    const bytes = await this.#read(level, number, width);
    if (this.#kept.size >= TILES_KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value ?? '');
    this.#kept.set(path, bytes);
    return bytes;
  }

  /** @throws TileDamaged */
  async node({ height, index }: TreeNode): Promise<Buffer> {
    const level = Math.floor(height / TILE_HEIGHT);
    const leaves = 2 ** (height % TILE_HEIGHT);
    const first = index * leaves;
    const number = Math.floor(first / TILE_WIDTH);
    const from = first - number * TILE_WIDTH;
    const tile = await this.tile(level, number);
    let hashes: Buffer[] = [];
    for (let at = from; at < from + leaves; at++) hashes.push(hashAt(tile, at));
    while (hashes.length > 1) hashes = hashes.flatMap((hash, at) => (at % 2 === 0 ? [nodeHash(hash, hashes[at + 1] as Buffer)] : []));
    const [root] = hashes;
    if (root?.length !== HASH_BYTES) throw new TileDamaged(`${tilePath(level, number)} is too short`);
    return root;
  }

  async #read(level: number, number: number, width: number): Promise<Buffer> {
    if (width === 0) throw new TileDamaged(`a tree of ${this.#treeSize} events has no ${tilePath(level, number)}`);
    // A tile that has grown meanwhile begins with the same hashes, and its partial form may be gone.
    const partial = await this.#files.read(tilePath(level, number, width));
    const bytes = partial ?? (width < TILE_WIDTH ? await this.#files.read(tilePath(level, number)) : undefined);
    if (bytes === undefined) throw new TileDamaged(`${tilePath(level, number, width)} is missing`);
    const isOfWidth = bytes.length === (partial === undefined ? TILE_WIDTH : width) * HASH_BYTES;
    if (!isOfWidth) throw new TileDamaged(`${tilePath(level, number, width)} has ${bytes.length} bytes`);
    return bytes.subarray(0, width * HASH_BYTES);
  }
}

/** One hash of a tile. */
export const hashAt = (tile: Buffer, at: number): Buffer => tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
