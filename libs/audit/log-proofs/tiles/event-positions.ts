import type { Position } from '@app/event-store';
import type { ProofFiles } from '../files/proof-files';
import { positionsPath, TILE_WIDTH } from './tile-path';
import { TileDamaged } from './tile-reader';

/** Positions in one file, each in a line: those of 256 tiles. */
const LINES = TILE_WIDTH;
const POSITION = /^\S{1,64}$/;

const linesOf = async (files: ProofFiles, number: number): Promise<readonly Position[]> => {
  const bytes = await files.read(positionsPath(number));
  return bytes === undefined ? [] : (bytes.toString('utf8').split('\n').slice(0, -1) as Position[]);
};

/** Where the tiles of level 0 end in the log, so that an event is found by its position and a tile can be read again from the log. */
export class EventPositions {
  readonly #files: ProofFiles;

  constructor(files: ProofFiles) {
    this.#files = files;
  }

  /** The position of the last event of this full tile. @throws TileDamaged */
  async endOf(tile: number): Promise<Position> {
    const position = (await linesOf(this.#files, Math.floor(tile / LINES)))[tile % LINES];
    if (position === undefined || !POSITION.test(position)) throw new TileDamaged(`the position of tile ${tile} is missing`);
    return position;
  }

  /** The position that precedes this tile's events. @throws TileDamaged */
  async before(tile: number): Promise<Position | 'start'> {
    return tile === 0 ? 'start' : this.endOf(tile - 1);
  }

  /** The first of so many full tiles whose last event does not lie before the position; their number where all do. @throws TileDamaged */
  async tileAt(position: Position, tiles: number, compare: (a: Position, b: Position) => number): Promise<number> {
    let [low, high] = [0, tiles];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (compare(await this.endOf(middle), position) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The positions of the tiles that a growing tree completes. */
export class GrowingPositions {
  #first: number;
  #lines: readonly Position[];
  #isNew = false;

  private constructor(first: number, lines: readonly Position[]) {
    this.#first = first;
    this.#lines = lines;
  }

  /** @param tiles full tiles of level 0 on the disk @throws TileDamaged */
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
