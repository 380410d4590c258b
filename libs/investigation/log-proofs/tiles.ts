import { BoundedMap } from '@app/kernel';
import type { Position } from '@app/event-store';
import { HASH_BYTES, nodeHash, type NodeSource, type TreeNode } from './merkle';
import type { ProofFiles } from './proof-files';

/** Hashes of a full tile: its subtrees are eight levels high (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;

const DIGITS = 3;
const GROUP = 10 ** DIGITS;

/** Groups of three digits, each but the last prefixed with x, so that folders have about a thousand entries at most (C2SP tlog-tiles). */
export const numberPath = (number: number): string => {
  const groups: string[] = [];
  for (let rest = number; groups.length === 0 || rest > 0; rest = Math.floor(rest / GROUP)) {
    const digits = String(rest % GROUP).padStart(DIGITS, '0');
    groups.unshift(groups.length === 0 ? digits : `x${digits}`);
  }
  return groups.join('/');
};

/** `tile/<L>/<N>`, followed by `.p/<W>` for a partial tile. */
export const tilePath = (level: number, number: number, width: number = TILE_WIDTH): string =>
  `tile/${level}/${numberPath(number)}${width < TILE_WIDTH ? `.p/${width}` : ''}`;

/** File with the positions of the last events of 256 level-0 tiles; our own addition to the format. */
const positionsPath = (number: number): string => `positions/${numberPath(number)}`;

export const tileWidth = (level: number, number: number, treeSize: number): number => {
  const hashes = Math.floor(treeSize / TILE_WIDTH ** level);
  return Math.min(TILE_WIDTH, Math.max(0, hashes - number * TILE_WIDTH));
};

/** A tile is missing or has the wrong length. Tiles can be rebuilt from the log. */
export class TileDamaged extends Error {
  override readonly name = 'TileDamaged';
}

export const orDamaged = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TileDamaged) return undefined;
    throw error;
  }
};

const TILES_KEPT_MAX = 64;

export class TileReader implements NodeSource {
  readonly #files: ProofFiles;
  readonly #treeSize: number;
  readonly #kept = new BoundedMap<string, Buffer>(TILES_KEPT_MAX);

  constructor(files: ProofFiles, treeSize: number) {
    this.#files = files;
    this.#treeSize = treeSize;
  }

  get treeSize(): number {
    return this.#treeSize;
  }

  async tile(level: number, number: number): Promise<Buffer> {
    const width = tileWidth(level, number, this.#treeSize);
    const path = tilePath(level, number, width);
    const kept = this.#kept.get(path);
    if (kept !== undefined) return kept;
    const bytes = await this.#read(level, number, width);
    this.#kept.set(path, bytes);
    return bytes;
  }

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
    // A tile that has grown begins with the same hashes, and its partial form may be gone.
    const partial = await this.#files.read(tilePath(level, number, width));
    const bytes = partial ?? (width < TILE_WIDTH ? await this.#files.read(tilePath(level, number)) : undefined);
    if (bytes === undefined) throw new TileDamaged(`${tilePath(level, number, width)} is missing`);
    const isOfWidth = bytes.length === (partial === undefined ? TILE_WIDTH : width) * HASH_BYTES;
    if (!isOfWidth) throw new TileDamaged(`${tilePath(level, number, width)} has ${bytes.length} bytes`);
    return bytes.subarray(0, width * HASH_BYTES);
  }
}

export const hashAt = (tile: Buffer, at: number): Buffer => tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);

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

export class GrowingTiles {
  readonly #levels: Level[] = [];
  #full: TileFile[] = [];
  /** Partial tiles on disk, superseded by a wider or the full tile. */
  #partials: readonly string[] = [];

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

  get waiting(): number {
    return this.#full.length;
  }

  /** Requires subtrees from left to right within each height. */
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

  /** Writes new tiles. Returns the superseded ones, to delete once nothing refers to them. */
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

const LINES = TILE_WIDTH;
const POSITION = /^\S{1,64}$/;

const linesOf = async (files: ProofFiles, number: number): Promise<readonly Position[]> => {
  const bytes = await files.read(positionsPath(number));
  return bytes === undefined ? [] : (bytes.toString('utf8').split('\n').slice(0, -1) as Position[]);
};

/** Position of the last event of a level-0 tile: finds an event by position, or rebuilds a tile from the log. @throws TileDamaged */
const endOfTile = async (files: ProofFiles, tile: number, linesIn = (file: number) => linesOf(files, file)): Promise<Position> => {
  const position = (await linesIn(Math.floor(tile / LINES)))[tile % LINES];
  if (position === undefined || !POSITION.test(position)) throw new TileDamaged(`the position of tile ${tile} is missing`);
  return position;
};

export const beforeTile = async (files: ProofFiles, tile: number): Promise<Position | 'start'> =>
  tile === 0 ? 'start' : endOfTile(files, tile - 1);

/** Index of the first full tile that ends at or after the position; `tiles` if there is none. @throws TileDamaged */
export const tileAt = async (
  files: ProofFiles,
  position: Position,
  tiles: number,
  compare: (a: Position, b: Position) => number,
): Promise<number> => {
  // Most steps of the search are in the same file.
  const read = new Map<number, readonly Position[]>();
  const linesIn = async (file: number): Promise<readonly Position[]> => {
    const lines = read.get(file) ?? (await linesOf(files, file));
    read.set(file, lines);
    return lines;
  };
  let [low, high] = [0, tiles];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (compare(await endOfTile(files, middle, linesIn), position) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

export class GrowingPositions {
  #first: number;
  #lines: readonly Position[];
  #isNew = false;

  private constructor(first: number, lines: readonly Position[]) {
    this.#first = first;
    this.#lines = lines;
  }

  /** @param tiles full tiles of level 0 on disk @throws TileDamaged */
  static async of(files: ProofFiles, tiles: number): Promise<GrowingPositions> {
    const first = Math.floor(tiles / LINES) * LINES;
    // After a crash the file may be ahead of the tree.
    const lines = (await linesOf(files, first / LINES)).slice(0, tiles - first);
    if (lines.length < tiles - first) throw new TileDamaged(`${positionsPath(first / LINES)} is too short`);
    return new GrowingPositions(first, lines);
  }

  add(position: Position): void {
    this.#lines = [...this.#lines, position];
    this.#isNew = true;
  }

  async flush(files: ProofFiles): Promise<void> {
    if (!this.#isNew) return;
    for (let at = 0; at < this.#lines.length; at += LINES) {
      const lines = this.#lines.slice(at, at + LINES);
      await files.write(positionsPath((this.#first + at) / LINES), Buffer.from(`${lines.join('\n')}\n`));
    }
    const full = this.#lines.length - (this.#lines.length % LINES);
    this.#lines = this.#lines.slice(full);
    this.#first += full;
    this.#isNew = false;
  }
}
