import { BrokenChain, categoryOf, type Position, type StoredEvent } from '@app/event-store';
import { hasLeaf, leafText } from '../building/log-leaf';
import { eventsAfter, type ReadableLog } from '../building/read-log';
import type { SignedCheckpoint } from '../checkpoints/checkpoint';
import type { ProofFiles } from '../files/proof-files';
import { Frontier } from '../merkle/frontier';
import { EMPTY_ROOT, leafHash } from '../merkle/merkle-hash';
import { peaksAt, rootAt } from '../merkle/tree-reader';
import { EventPositions } from '../tiles/event-positions';
import { TILE_HEIGHT, TILE_WIDTH } from '../tiles/tile-path';
import { hashAt, TileDamaged, type TileReader } from '../tiles/tile-reader';
import type { CheckpointMeetings, FindPlace } from './checkpoint-meetings';
import type { LeafRuns } from './leaf-runs';
import type { EventPlace, LogFinding } from './log-finding';
import { numberOf, soundRuns, type SoundRun } from './sound-runs';
import type { TreeComparison } from './tree-comparison';

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
  /** Of the same log: where given, what is sound is read by it, and the rest event by event. */
  readonly runs?: LeafRuns;
  /** Whether the store counts positions from 1 without a gap. */
  readonly hasEveryPosition?: boolean;
  readonly onProgress?: (events: number) => void;
  readonly isStopRequested?: () => boolean;
}

const PROGRESS_EVENTS = 4_096;
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
  /** The event before it, or the run that ended with it. */
  #last: StoredEvent | SoundRun | undefined;

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
    const sound = await this.#readRuns(after);
    if (sound === 'stopped') return false;
    after = sound;
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

  /** @returns the position behind what is sound, or where a stop was requested */
  async #readRuns(after: Position | 'start'): Promise<Position | 'start' | 'stopped'> {
    const { runs, files, tiles, knownCategories, hasEveryPosition = false, onProgress, isStopRequested = () => false } = this.#settings;
    if (runs === undefined) return after;
    let end = after;
    const settings = { runs, tiles, positions: new EventPositions(files), knownCategories, hasEveryPosition };
    for await (const run of soundRuns(settings, { tile: Math.floor(this.#index / TILE_WIDTH), after })) {
      await this.#takeRun(run);
      end = run.to;
      onProgress?.(this.read);
      if (isStopRequested()) return 'stopped';
    }
    return end;
  }

  /** Only a tile within which a checkpoint lies is taken leaf by leaf. */
  async #takeRun(run: SoundRun): Promise<void> {
    let { nextSize } = this.#settings.meetings;
    const first = run.firstTile * TILE_WIDTH;
    for (let tile = 0; tile < run.tiles; tile++) {
      const [start, end] = [first + tile * TILE_WIDTH, first + (tile + 1) * TILE_WIDTH];
      const isWhole = this.#frontier.size === start && !(nextSize > start && nextSize < end);
      if (isWhole) this.#push(TILE_HEIGHT, hashAt(run.roots, tile), () => this.#placeIn(run, start));
      for (let index = this.#frontier.size; index < end; index++) {
        this.#push(0, hashAt(run.leaves, index - first), () => this.#placeIn(run, index));
        if (index + 1 < end && index + 1 === nextSize) nextSize = await this.#meet(() => this.#placeIn(run, index));
      }
      if (nextSize === end) nextSize = await this.#meet(() => this.#placeIn(run, end - 1));
    }
    this.#index = first + run.tiles * TILE_WIDTH;
    this.read += run.tiles * TILE_WIDTH;
    this.leftOut += run.leftOut;
    this.#last = run;
    this.#position = numberOf(run.to);
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
        if (this.#index === nextSize) nextSize = await this.#meet(this.lastPlace);
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
    if (index >= this.#frontier.size) this.#push(0, hash, () => Promise.resolve(placeOf(event, index)));
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

  #push(height: number, hash: Buffer, place: FindPlace): void {
    this.#frontier.pushSubtree(height, hash);
    this.#settings.meetings.passed(place);
  }

  /** Of the newest event that was read. */
  get lastPlace(): FindPlace {
    const [last, index] = [this.#last, this.#index - 1];
    if (last === undefined) return () => Promise.resolve(undefined);
    return 'roots' in last ? () => this.#placeIn(last, index) : () => Promise.resolve(placeOf(last, index));
  }

  /** Where the log has this leaf of a run that was found sound. */
  async #placeIn({ after, firstTile }: SoundRun, index: number): Promise<EventPlace | undefined> {
    let at = firstTile * TILE_WIDTH;
    for await (const event of eventsAfter(this.#settings.log, after)) {
      if (!hasLeaf(event)) continue;
      if (at === index) return placeOf(event, index);
      at += 1;
    }
    return undefined;
  }

  #leaveOut(event: StoredEvent, index: number): void {
    this.leftOut += 1;
    const isOurs = this.#settings.knownCategories.has(categoryOf(event.stream));
    if (isOurs && this.withoutChain.length < WITHOUT_CHAIN_MAX)
      this.withoutChain.push({ kind: 'event-without-chain', at: placeOf(event, index) });
  }

  #meet(at: FindPlace): Promise<number> {
    return this.#settings.meetings.meet(this.#frontier.size, this.root, at);
  }
}

const placeOf = ({ position, stream, revision }: StoredEvent, index: number): EventPlace => ({
  index,
  position,
  stream,
  revision: Number(revision),
});
