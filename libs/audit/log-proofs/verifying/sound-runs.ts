import type { Position } from '@app/event-store';
import { HASH_BYTES } from '../merkle/merkle-hash';
import type { EventPositions } from '../tiles/event-positions';
import { TILE_WIDTH } from '../tiles/tile-path';
import { TileDamaged, type TileReader } from '../tiles/tile-reader';
import type { LeafRun, LeafRuns } from './leaf-runs';

/** So that the next is there when one is done. */
const RUNS_UNDER_WAY_OF_EACH = 2;
const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/** A part of the log whose every event with a leaf is the one that the tree holds in its place. */
export interface SoundRun extends LeafRun {
  readonly firstTile: number;
  readonly tiles: number;
  /** The positions between which it lies. */
  readonly after: Position | 'start';
  readonly to: Position;
}

export interface SoundRunsSettings {
  readonly runs: LeafRuns;
  readonly tiles: TileReader;
  readonly positions: Pick<EventPositions, 'endOf'>;
  /** Categories of this service: an event of theirs without a leaf is not sound. */
  readonly knownCategories: ReadonlySet<string>;
  /** Whether the store counts positions without a gap. */
  readonly hasEveryPosition: boolean;
}

/** The hashes of neighbouring tiles as the tree's files have them; undefined where one is damaged. */
const tilesIn = async (tiles: TileReader, first: number, count: number): Promise<readonly Buffer[] | undefined> => {
  try {
    return await Promise.all(Array.from({ length: count }, (_, at) => tiles.tile(0, first + at)));
  } catch (error) {
    if (error instanceof TileDamaged) return undefined;
    throw error;
  }
};

/** Of a store that counts from 1. */
export const numberOf = (position: Position | 'start'): number => (position === 'start' ? 0 : Number(position));

/** Undefined where a tile's position is damaged. */
const endIn = async (positions: SoundRunsSettings['positions'], tile: number): Promise<Position | undefined> => {
  try {
    return await positions.endOf(tile);
  } catch (error) {
    if (error instanceof TileDamaged) return undefined;
    throw error;
  }
};

/**
 * Compares the log with the full tiles of its tree, run by run and several at a time, and yields what is sound, in order, up to the first run that is not.
 * Each run begins where the one before it ended, so that no event lies between two of them. @throws StoreUnavailable
 */
export async function* soundRuns(
  { runs, tiles, positions, knownCategories, hasEveryPosition }: SoundRunsSettings,
  from: { readonly tile: number; readonly after: Position | 'start' },
): AsyncGenerator<SoundRun, undefined> {
  const fullTiles = Math.floor(tiles.treeSize / TILE_WIDTH);
  if (!runs.isWorthwhile(fullTiles - from.tile)) return undefined;
  const compared = async (part: Pick<SoundRun, 'firstTile' | 'tiles' | 'after' | 'to'>): Promise<SoundRun | undefined> => {
    const [run, expected] = await Promise.all([runs.of(part), tilesIn(tiles, part.firstTile, part.tiles)]);
    if (run === undefined || expected === undefined) return undefined;
    const isSame = expected.every((tile, at) => tile.equals(run.leaves.subarray(at * TILE_BYTES, (at + 1) * TILE_BYTES)));
    const events = part.tiles * TILE_WIDTH + run.leftOut;
    if (hasEveryPosition && numberOf(part.to) - numberOf(part.after) !== events) return undefined;
    return isSame && !run.leftOutCategories.some((category) => knownCategories.has(category)) ? { ...part, ...run } : undefined;
  };
  const asked: Promise<SoundRun | undefined>[] = [];
  let { tile: next, after } = from;
  try {
    for (;;) {
      while (next < fullTiles && asked.length < runs.sideBySide * RUNS_UNDER_WAY_OF_EACH) {
        const part = { firstTile: next, tiles: Math.min(runs.tilesMax, fullTiles - next), after };
        next += part.tiles;
        const to = await endIn(positions, next - 1);
        const run = to === undefined ? Promise.resolve(undefined) : compared({ ...part, to });
        // Its failure is met when its turn comes.
        run.catch(() => undefined);
        asked.push(run);
        after = to ?? after;
      }
      const run = await asked.shift();
      if (run === undefined) return undefined;
      yield run;
    }
  } finally {
    await Promise.allSettled(asked);
  }
}
