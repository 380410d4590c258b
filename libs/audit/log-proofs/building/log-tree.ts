import type { StoredEvent } from '@app/event-store';
import { hasLeaf, leafText } from './log-leaf';
import { readTreeState, type TreeState, writeTreeState } from './tree-state';
import type { ProofFiles } from '../files/proof-files';
import { Frontier, leafHash, peaksAt, rootAt } from '../merkle';
import { GrowingPositions } from '../tiles/event-positions';
import { GrowingTiles } from '../tiles/growing-tiles';
import { TILE_WIDTH } from '../tiles/tile-path';
import { TileDamaged, TileReader } from '../tiles/tile-reader';

/** Full tiles that may wait in memory, 8 KiB each. */
const TILES_WAITING_MAX = 64;

/** The Merkle tree over the log, in the order of positions: grows in memory and is flushed to its files, which a crash leaves as the last flush did. */
export class LogTree {
  readonly #files: ProofFiles;
  readonly #frontier: Frontier;
  readonly #tiles: GrowingTiles;
  readonly #positions: GrowingPositions;
  #position: TreeState['position'];
  #flushed: TreeState;
  /** Superseded by the last flush: whoever reads beside us may still be at the state before it. */
  #superseded: readonly string[] = [];

  private constructor(files: ProofFiles, state: TreeState, peaks: readonly Buffer[], tiles: GrowingTiles, positions: GrowingPositions) {
    this.#files = files;
    this.#frontier = new Frontier((height, _index, hash) => tiles.add(height, hash), state.size, peaks);
    this.#tiles = tiles;
    this.#positions = positions;
    this.#position = state.position;
    this.#flushed = state;
  }

  /** The tree as its files have it. @throws TileDamaged where they do not belong together: it must be built again */
  static async open(files: ProofFiles): Promise<LogTree> {
    const state = await readTreeState(files);
    if (state === undefined) throw new TileDamaged('the state of the tree cannot be read');
    const reader = new TileReader(files, state.size);
    if (!(await rootAt(reader, state.size)).equals(state.root)) throw new TileDamaged('the tiles do not have the root of the tree');
    const positions = await GrowingPositions.of(files, Math.floor(state.size / TILE_WIDTH));
    return new LogTree(files, state, await peaksAt(reader, state.size), await GrowingTiles.of(reader), positions);
  }

  /** A tree to be built anew over whatever the files hold. */
  static async anew(files: ProofFiles): Promise<LogTree> {
    await files.remove('state');
    return LogTree.open(files);
  }

  /** Leaves, those in memory included. */
  get size(): number {
    return this.#frontier.size;
  }

  /** Of the last event that was added. */
  get position(): TreeState['position'] {
    return this.#position;
  }

  /** The tree as of the last flush. */
  get flushed(): TreeState {
    return this.#flushed;
  }

  /** Whether it must be flushed before more is added. */
  get isFull(): boolean {
    return this.#tiles.waiting >= TILES_WAITING_MAX;
  }

  root(): Buffer {
    return this.#frontier.root();
  }

  /** Adds the next event of the log. */
  add(event: StoredEvent): void {
    this.#position = event.position;
    if (!hasLeaf(event)) return;
    this.#frontier.push(leafHash(leafText(event)));
    if (this.size % TILE_WIDTH === 0) this.#positions.add(event.position);
  }

  /** Resolves when the disk has all of the tree. */
  async flush(): Promise<void> {
    if (this.#flushed.position === this.#position) return;
    const superseded = await this.#tiles.flush(this.#files);
    await this.#positions.flush(this.#files);
    const state = { size: this.size, position: this.#position, root: this.root() };
    await writeTreeState(state, this.#files);
    this.#flushed = state;
    for (const path of this.#superseded) await this.#files.remove(path);
    this.#superseded = superseded;
  }

  /** Reads the tree as of the last flush. */
  reader(): TileReader {
    return new TileReader(this.#files, this.#flushed.size);
  }
}
