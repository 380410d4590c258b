import type { ProofFiles } from '../files/proof-files';
import { HASH_BYTES } from '../merkle';
import { TILE_HEIGHT, TILE_WIDTH, tilePath, tileWidth } from './tile-path';
import type { TileReader } from './tile-reader';

interface Level {
  number: number;
  width: number;
  readonly hashes: Buffer;
}

interface TileFile {
  readonly path: string;
  readonly content: Buffer;
}

const emptyLevel = (number = 0): Level => ({ number, width: 0, hashes: Buffer.alloc(TILE_WIDTH * HASH_BYTES) });

/** The tiles at the right edge of a tree, and those that became full since the last flush. */
export class GrowingTiles {
  readonly #levels: Level[] = [];
  #full: TileFile[] = [];
  /** Partial tiles on the disk; each is superseded by a wider one or by the full tile. */
  #partials: readonly string[] = [];

  /** The tiles of a tree that was written before. @throws TileDamaged */
  static async of(reader: TileReader): Promise<GrowingTiles> {
    const tiles = new GrowingTiles();
    for (let level = 0; TILE_WIDTH ** level <= reader.treeSize; level++) {
      const number = Math.floor(reader.treeSize / TILE_WIDTH ** (level + 1));
      const edge = emptyLevel(number);
      edge.width = tileWidth(level, number, reader.treeSize);
      if (edge.width > 0) (await reader.tile(level, number)).copy(edge.hashes);
      tiles.#levels.push(edge);
    }
    tiles.#partials = tiles.#partialFiles().map(({ path }) => path);
    return tiles;
  }

  /** Full tiles that wait for a flush. */
  get waiting(): number {
    return this.#full.length;
  }

  /** Takes a perfect subtree of the tree, from left to right within its height. */
  add(height: number, hash: Buffer): void {
    if (height % TILE_HEIGHT !== 0) return;
    const level = height / TILE_HEIGHT;
    const edge = (this.#levels[level] ??= emptyLevel());
    hash.copy(edge.hashes, edge.width * HASH_BYTES);
    edge.width += 1;
    if (edge.width < TILE_WIDTH) return;
    this.#full.push({ path: tilePath(level, edge.number), content: Buffer.from(edge.hashes) });
    edge.number += 1;
    edge.width = 0;
  }

  /** Writes what is new; returns what it superseded, for when nothing refers to it any more. */
  async flush(files: ProofFiles): Promise<readonly string[]> {
    while (this.#full[0] !== undefined) {
      await files.write(this.#full[0].path, this.#full[0].content);
      this.#full.shift();
    }
    const partials = this.#partialFiles();
    for (const { path, content } of partials) if (!this.#partials.includes(path)) await files.write(path, content);
    const paths = partials.map(({ path }) => path);
    const superseded = this.#partials.filter((path) => !paths.includes(path));
    this.#partials = paths;
    return superseded;
  }

  #partialFiles(): readonly TileFile[] {
    return this.#levels.flatMap(({ number, width, hashes }, level) =>
      width === 0 ? [] : [{ path: tilePath(level, number, width), content: Buffer.from(hashes.subarray(0, width * HASH_BYTES)) }],
    );
  }
}
