import { timeOf } from '../checkpoints/checkpoint';
import { rootAt } from '../merkle';
import type { TileReader } from '../tiles/tile-reader';
import type { FoundCheckpoint, KnownCheckpoints } from './known-checkpoints';
import type { EventPlace, LogFinding } from './log-finding';
import { orDamaged } from './or-damaged';
import type { FittingCheckpoint } from './verify-report';

/** What the checkpoints say of a log while it is read: the newest that it fits, the first that it does not, and forks between them. */
export class CheckpointMeetings {
  readonly findings: LogFinding[] = [];
  newest: FittingCheckpoint | undefined;
  firstBad: FoundCheckpoint | undefined;
  /** The first behind each difference that the log does not fit. */
  readonly badBehind: FoundCheckpoint[] = [];
  /** Of the last event under the newest checkpoint that fits, and of the last one under the first that does not. */
  goodEnd: EventPlace | undefined;
  badEnd: EventPlace | undefined;
  firstBehindGood: EventPlace | undefined;
  readonly #known: KnownCheckpoints;
  readonly #tiles: TileReader;
  readonly #differences: readonly unknown[];
  #differencesBefore = 0;
  readonly #forks = new Set<number>();

  /** @param differences as many as were found so far in what was read */
  constructor(known: KnownCheckpoints, tiles: TileReader, differences: readonly unknown[]) {
    this.#known = known;
    this.#tiles = tiles;
    this.#differences = differences;
  }

  /** The size at which the next checkpoint is due. */
  get nextSize(): number {
    return this.#known.nextSize;
  }

  /** Begins behind a checkpoint. Those before it are the tree's to fit: they were compared with it when it was signed. */
  async beginBehind(since: FoundCheckpoint): Promise<void> {
    this.newest = fitting(since);
    await this.#known.takeUpTo(since.checkpoint.size);
  }

  /** An event was read. */
  passed(place: () => EventPlace): void {
    if (this.firstBad === undefined) this.firstBehindGood ??= place();
  }

  /** Compares the tree at this size with the checkpoints of it. @param at of its last event @returns the size at which the next one is due */
  async meet(size: number, root: Buffer, at: EventPlace | undefined): Promise<number> {
    const met = await this.#known.takeUpTo(size);
    const ofSize = met.filter(({ checkpoint }) => checkpoint.size === size);
    // One that was written late is of an older tree: two processes may have signed at once.
    for (const late of met.filter(({ checkpoint }) => checkpoint.size < size)) await this.#meetLate(late);
    const [first] = ofSize;
    const other = ofSize.find(({ checkpoint }) => first !== undefined && !checkpoint.root.equals(first.checkpoint.root));
    if (first !== undefined && other !== undefined) this.findings.push({ kind: 'fork', size, places: [first.place, other.place] });
    const bad = ofSize.find(({ checkpoint }) => !checkpoint.root.equals(root));
    if (bad === undefined && first !== undefined && this.firstBad === undefined) {
      this.newest = fitting(first);
      this.goodEnd = at;
      this.firstBehindGood = undefined;
    }
    if (bad !== undefined && this.firstBad === undefined && other === undefined) {
      this.firstBad = bad;
      this.badEnd = at;
    }
    if (bad !== undefined && other === undefined && this.#differences.length > this.#differencesBefore) {
      this.#differencesBefore = this.#differences.length;
      this.badBehind.push(bad);
    }
    return this.nextSize;
  }

  async #meetLate(late: FoundCheckpoint): Promise<void> {
    const { size, root } = late.checkpoint;
    if (this.firstBad !== undefined || size > this.#tiles.treeSize) return;
    const same = await orDamaged(async () => (await rootAt(this.#tiles, size)).equals(root));
    if (same === false && !this.#forks.has(size)) {
      this.#forks.add(size);
      this.findings.push({ kind: 'fork', size, places: [late.place, 'the tree'] });
    }
  }
}

const fitting = ({ checkpoint, place }: FoundCheckpoint): FittingCheckpoint => ({
  size: checkpoint.size,
  root: checkpoint.root.toString('base64'),
  madeAt: timeOf(checkpoint),
  place,
});
