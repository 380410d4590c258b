import type { Position } from '@app/event-store';

/** The leaves of neighbouring tiles as the log has them now. */
export interface LeafRun {
  /** Their hashes, side by side. */
  readonly leaves: Buffer;
  /** The root of each tile. */
  readonly roots: Buffer;
  /** Events of other services between them. */
  readonly leftOut: number;
  /** Of those, each once. */
  readonly leftOutCategories: readonly string[];
}

/** A part of the log by its positions, where so many tiles are expected. */
export interface RunOfTiles {
  readonly after: Position | 'start';
  readonly to: Position;
  readonly tiles: number;
}

/** Hashes runs of one log side by side, each apart from the others. */
export interface LeafRuns {
  /** As many keep it busy. */
  readonly sideBySide: number;
  /** Of one run. */
  readonly tilesMax: number;
  /** Whether so many tiles take longer than its start. */
  isWorthwhile(tiles: number): boolean;
  /** Undefined where an event cannot be read, or where the run holds other than so many leaves: what is wrong there is found event by event. */
  of(run: RunOfTiles): Promise<LeafRun | undefined>;
}
