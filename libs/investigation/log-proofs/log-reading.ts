import { BrokenChain, categoryOf, type Position, type StoredEvent } from '@app/event-store';
import type { SignedCheckpoint } from './checkpoint';
import type { CheckpointMeetings } from './known-checkpoints';
import { hasLeaf, leafText, type ReadableLog } from './log-leaf';
import { EMPTY_ROOT, Frontier, leafHash, peaksAt, rootAt } from './merkle';
import type { ProofFiles } from './proof-files';
import { EventPositions, hashAt, TILE_WIDTH, TileDamaged, type TileReader } from './tiles';
import type { Difference, EventPlace, LogFinding } from './verify-report';

const DIFFERENCES_MAX = 20;

/** A place where log and tree differ. */
interface FoundDifference {
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

export interface LogReadingSettings {
  readonly log: ReadableLog;
  readonly files: ProofFiles;
  readonly tiles: TileReader;
  readonly comparison: TreeComparison;
  readonly meetings: CheckpointMeetings;
  /** Where the check begins: what lies before this checkpoint is taken as the tree has it. Its signature is the caller's to check. */
  readonly since?: SignedCheckpoint;
  /** Categories of this service, whose every event has a hash chain. */
  readonly knownCategories: ReadonlySet<string>;
  /** Whether the store counts positions from 1 without a gap. */
  readonly hasEveryPosition?: boolean;
  readonly onProgress?: (events: number) => void;
  readonly isStopRequested?: () => boolean;
}

const PROGRESS_EVENTS = 4_096;
/** Of a store that counts from 1. */
const numberOf = (position: Position | 'start'): number => (position === 'start' ? 0 : Number(position));

const WITHOUT_CHAIN_MAX = 10;
const GAPS_MAX = 10;

/** One pass over the log, of which the tree is made again. */
export class LogReading {
  /** Events of this service that are not in the tree: the first of them. */
  readonly withoutChain: LogFinding[] = [];
  /** Positions that are left out: the first of them. */
  readonly gaps: LogFinding[] = [];
  read = 0;
  leftOut = 0;
  readonly #settings: LogReadingSettings;
  #frontier = new Frontier();
  /** The number of the next event. */
  #index = 0;
  /** Of the event before it. */
  #position = 0;
  #last: StoredEvent | undefined;

  constructor(settings: LogReadingSettings) {
    this.#settings = settings;
  }

  /** In the tree as it is made of the log now. */
  get events(): number {
    return this.#frontier.size;
  }

  get root(): Buffer {
    return this.#frontier.root();
  }

  /** Of the newest event that was read. */
  get lastPlace(): EventPlace | undefined {
    return this.#last && placeOf(this.#last, this.#index - 1);
  }

  /** @returns false where a stop was requested */
  async run(): Promise<boolean> {
    const { since, files } = this.#settings;
    let after: Position | 'start' = 'start';
    if (since !== undefined) {
      await this.#beginAt(since);
      const number = Math.floor(since.size / TILE_WIDTH);
      this.#index = number * TILE_WIDTH;
      after = await new EventPositions(files).before(number);
    }
    this.#position = numberOf(after);
    for (;;) {
      try {
        return await this.#readFrom(after);
      } catch (error) {
        if (!(error instanceof BrokenChain)) throw error;
        // One that cannot be read is there all the same, since its place in the tree is.
        await this.#take(error.event, true);
        after = error.event.position;
      }
    }
  }

  async #readFrom(after: Position | 'start'): Promise<boolean> {
    const { log, comparison, meetings, onProgress, isStopRequested = () => false } = this.#settings;
    const subscription = log.subscribe('all', after);
    let { nextSize } = meetings;
    try {
      for await (const item of subscription) {
        if (item.kind === 'caught-up') return true;
        if (item.kind !== 'event') continue;
        // Most events wait for nothing: a promise for each would take as long as its hash.
        if (comparison.isReady(this.#index)) this.#takeNow(item.event, false);
        else await this.#take(item.event, false);
        if (this.#index === nextSize) nextSize = await this.#meet();
        if (this.read % PROGRESS_EVENTS !== 0) continue;
        onProgress?.(this.read);
        if (isStopRequested()) return false;
      }
      return true;
    } finally {
      await subscription.cancel();
    }
  }

  async #take(event: StoredEvent, isUnreadable: boolean): Promise<void> {
    const { comparison } = this.#settings;
    if (!comparison.isReady(this.#index)) await comparison.prepare(this.#index);
    this.#takeNow(event, isUnreadable);
  }

  #takeNow(event: StoredEvent, isUnreadable: boolean): void {
    const index = this.#index;
    if (this.#settings.hasEveryPosition === true) this.#followPosition(event, index);
    if (!isUnreadable && !hasLeaf(event)) return this.#leaveOut(event, index);
    const hash = isUnreadable ? EMPTY_ROOT : leafHash(leafText(event));
    this.#settings.comparison.compare(index, hash, () => placeOf(event, index), isUnreadable);
    if (index >= this.#frontier.size) {
      this.#frontier.push(hash);
      this.#settings.meetings.passed(() => placeOf(event, index));
    }
    this.#index = index + 1;
    this.read += 1;
    this.#last = event;
  }

  #followPosition(event: StoredEvent, index: number): void {
    const [expected, position] = [this.#position + 1, numberOf(event.position)];
    this.#position = position;
    if (position !== expected && this.gaps.length < GAPS_MAX) this.gaps.push({ kind: 'position-gap', at: placeOf(event, index), expected });
  }

  /** @throws TileDamaged where the tree in its files does not reach the checkpoint */
  async #beginAt(since: SignedCheckpoint): Promise<void> {
    const { tiles, meetings } = this.#settings;
    if (since.size > tiles.treeSize) throw new TileDamaged(`the tree has ${tiles.treeSize} events, and the checkpoint ${since.size}`);
    const isSame = (await rootAt(tiles, since.size)).equals(since.root);
    if (!isSame) throw new TileDamaged(`the tree has another root than the checkpoint of ${since.size} events`);
    this.#frontier = new Frontier(undefined, since.size, await peaksAt(tiles, since.size));
    await meetings.beginBehind({ checkpoint: since, place: 'the one that was given' });
  }

  #leaveOut(event: StoredEvent, index: number): void {
    this.leftOut += 1;
    const isOurs = this.#settings.knownCategories.has(categoryOf(event.stream));
    if (isOurs && this.withoutChain.length < WITHOUT_CHAIN_MAX)
      this.withoutChain.push({ kind: 'event-without-chain', at: placeOf(event, index) });
  }

  #meet(): Promise<number> {
    return this.#settings.meetings.meet(this.#frontier.size, this.root, this.lastPlace);
  }
}

const placeOf = ({ position, stream, revision }: StoredEvent, index: number): EventPlace => ({
  index,
  position,
  stream,
  revision: Number(revision),
});
