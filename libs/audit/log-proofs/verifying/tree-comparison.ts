import { TILE_WIDTH } from '../tiles/tile-path';
import { hashAt, TileDamaged, type TileReader } from '../tiles/tile-reader';
import type { Difference, EventPlace } from './log-finding';

const DIFFERENCES_MAX = 20;

/** A place where log and tree differ. */
export interface FoundDifference {
  readonly at: EventPlace;
  difference: Difference;
}

/** A difference whose next leaf is still to come, and what the tree has in its place. */
interface OpenDifference {
  readonly found: FoundDifference;
  readonly expected: Buffer;
}

/** Compares the leaves of a log with those in tiles, one after the other, and says what a difference looks like by the leaf behind it. */
export class TreeComparison {
  readonly #tiles: TileReader;
  readonly differences: FoundDifference[] = [];
  #tile: Buffer | undefined;
  #tileNumber = -1;
  #ahead: { readonly number: number; readonly tile: Promise<Buffer> } | undefined;
  #isOver = false;
  #open: OpenDifference | undefined;
  damage: string | undefined;

  constructor(tiles: TileReader) {
    this.#tiles = tiles;
  }

  /** Whether the tile of this leaf is read already. */
  isReady(index: number): boolean {
    return this.#isOver || index >= this.#tiles.treeSize || Math.floor(index / TILE_WIDTH) === this.#tileNumber;
  }

  /** Reads the tile of this leaf, and begins to read the one behind it: a file takes longer than the hashes of a tile. */
  async prepare(index: number): Promise<void> {
    const number = Math.floor(index / TILE_WIDTH);
    try {
      const reading = this.#ahead?.number === number ? this.#ahead.tile : this.#tiles.tile(0, number);
      this.#ahead = undefined;
      if ((number + 1) * TILE_WIDTH < this.#tiles.treeSize) {
        const tile = this.#tiles.tile(0, number + 1);
        // Its failure is met when its turn comes.
        tile.catch(() => undefined);
        this.#ahead = { number: number + 1, tile };
      }
      this.#tileNumber = number;
      this.#tile = await reading;
    } catch (error) {
      if (!(error instanceof TileDamaged)) throw error;
      this.damage ??= error.message;
      this.#isOver = true;
    }
  }

  /** The next leaf of the log; `isReady` holds. `place` is asked for only where it differs. */
  compare(index: number, hash: Buffer, place: () => EventPlace, isUnreadable = false): void {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) this.#judge(open, index, hash);
    if (this.#isOver || index >= this.#tiles.treeSize || this.#tile === undefined) return;
    const expected = hashAt(this.#tile, index % TILE_WIDTH);
    if (hash.equals(expected)) return;
    const found: FoundDifference = { at: place(), difference: isUnreadable ? 'unreadable' : 'changed' };
    this.differences.push(found);
    if (this.differences.length >= DIFFERENCES_MAX) this.#isOver = true;
    else if (!isUnreadable) this.#open = { found, expected: Buffer.from(expected) };
    // With an event missing, each leaf is the one that was written behind its place.
    const following = (index + 1) % TILE_WIDTH === 0 ? undefined : hashAt(this.#tile, (index + 1) % TILE_WIDTH);
    if (following?.equals(hash) === true) {
      found.difference = 'event-missing-before';
      this.#isOver = true;
      this.#open = undefined;
    }
  }

  #judge({ found, expected }: OpenDifference, index: number, hash: Buffer): void {
    if (hash.equals(expected)) found.difference = 'event-inserted';
    else if (this.#tile !== undefined && index < this.#tiles.treeSize && !hash.equals(hashAt(this.#tile, index % TILE_WIDTH)))
      found.difference = 'order-changed';
    if (found.difference !== 'changed') this.#isOver = true;
  }
}
