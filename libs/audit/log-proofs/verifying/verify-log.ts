import { BrokenChain, categoryOf, type Position, type StoredEvent } from '@app/event-store';
import type { CheckpointPlace } from '../building/checkpoint-place';
import { hasLeaf, leafText } from '../building/log-leaf';
import { eventsAfter, type ReadableLog } from '../building/read-log';
import { readTreeState } from '../building/tree-state';
import { timeOf, type SignedCheckpoint } from '../checkpoints/checkpoint';
import type { VerifyKey } from '../checkpoints/log-key';
import type { ProofFiles } from '../files/proof-files';
import { Frontier } from '../merkle/frontier';
import { EMPTY_ROOT, leafHash } from '../merkle/merkle-hash';
import { peaksAt, rootAt } from '../merkle/tree-reader';
import { EventPositions } from '../tiles/event-positions';
import { TILE_HEIGHT, TILE_WIDTH } from '../tiles/tile-path';
import { hashAt, TileDamaged, TileReader } from '../tiles/tile-reader';
import { KnownCheckpoints, type FoundCheckpoint } from './known-checkpoints';
import type { LeafRuns } from './leaf-runs';
import type { EventPlace, Evidence, LogFinding } from './log-finding';
import { soundRuns, type SoundRun } from './sound-runs';
import { TreeComparison } from './tree-comparison';

export interface VerifyLogSettings {
  readonly log: ReadableLog;
  readonly files: ProofFiles;
  readonly places: readonly CheckpointPlace[];
  /** Undefined: signatures are not checked, and checkpoints are only compared. */
  readonly key: VerifyKey | undefined;
  readonly origin: string;
  /** Where the check begins: what lies before this checkpoint is taken as the tree has it. Its signature is the caller's to check. */
  readonly since?: SignedCheckpoint;
  /** Categories of this service, whose every event has a hash chain. */
  readonly knownCategories: ReadonlySet<string>;
  /** Of the same log: where given, what is sound is read by it, and the rest event by event. */
  readonly runs?: LeafRuns;
  readonly onProgress?: (events: number) => void;
  readonly isStopRequested?: () => boolean;
}

/** A checkpoint that the log was found to fit. */
export interface FittingCheckpoint {
  readonly size: number;
  readonly root: string;
  readonly madeAt: string | undefined;
  readonly place: string;
}

/** A log that this one goes on from. */
export interface VerifiedAncestor {
  readonly origin: string;
  /** So many of its events are in this log. */
  readonly size: number;
  readonly isSameOrder: boolean;
  /** So many were signed under its name, where a checkpoint of that was found: what is beyond `size` is not in this log. */
  readonly signed: number | undefined;
}

export interface VerifyLogReport {
  /** False where a stop was requested. */
  readonly isComplete: boolean;
  /** Events in the tree as it is made of the log now, those before `since` included. */
  readonly events: number;
  /** Events that were read and hashed. */
  readonly read: number;
  /** Events of other services on the same server. */
  readonly leftOut: number;
  /** Events in the tree in its files. */
  readonly treeSize: number;
  readonly root: string;
  readonly checkpoints: { readonly verified: number; readonly ignored: number; readonly newest: FittingCheckpoint | undefined };
  /** The logs that this one says it was made from: by a copy, or after a back-up was restored. */
  readonly ancestors: readonly VerifiedAncestor[];
  readonly findings: readonly LogFinding[];
  /** Places that could not be read. */
  readonly unreachable: readonly { readonly place: string; readonly problem: string }[];
}

/** Looks an event up when it is named: most logs name none. */
type FindPlace = () => Promise<EventPlace | undefined>;

const PROGRESS_EVENTS = 4_096;
const WITHOUT_CHAIN_MAX = 10;

/**
 * Reads the whole log, or what is behind a checkpoint, makes its tree again and compares it with the tree in its files and with every checkpoint that it
 * finds. It holds few tiles and the newest checkpoints in memory, whatever the size of the log. @throws StoreUnavailable
 */
export const verifyLog = (settings: VerifyLogSettings): Promise<VerifyLogReport> => new LogVerification(settings).run();

class LogVerification {
  readonly #settings: VerifyLogSettings;
  readonly #unreachable: { place: string; problem: string }[] = [];
  readonly #findings: LogFinding[] = [];
  #frontier = new Frontier();
  #read = 0;
  #leftOut = 0;
  #withoutChain = 0;
  #newest: FittingCheckpoint | undefined;
  #firstBad: FoundCheckpoint | undefined;
  /** Of the last event under the newest checkpoint that fits, and of the last one under the first that does not. */
  #goodEnd: FindPlace | undefined;
  #badEnd: FindPlace | undefined;
  #firstBehindGood: FindPlace | undefined;
  /** The number of the next event. */
  #index = 0;
  /** The event before it, or the run that ended with it. */
  #last: StoredEvent | SoundRun | undefined;
  readonly #forks = new Set<number>();

  constructor(settings: VerifyLogSettings) {
    this.#settings = settings;
  }

  async run(): Promise<VerifyLogReport> {
    const { files, places, key, origin } = this.#settings;
    const state = await readTreeState(files);
    const tiles = new TileReader(files, state?.size ?? 0);
    const comparison = new TreeComparison(tiles);
    if (state === undefined) comparison.damage = 'its state cannot be read';
    const known = await KnownCheckpoints.open({
      places,
      key,
      origin,
      onUnreachable: (place, error) => this.#unreachable.push({ place, problem: error instanceof Error ? error.message : String(error) }),
    });
    const isComplete = await this.#readLog(comparison, known, tiles);
    if (isComplete) await this.#conclude(comparison, known, tiles);
    return {
      isComplete,
      events: this.#frontier.size,
      read: this.#read,
      leftOut: this.#leftOut,
      treeSize: tiles.treeSize,
      root: this.#frontier.root().toString('base64'),
      checkpoints: {
        verified: known.verified,
        ignored: [...known.ignored.values()].reduce((sum, count) => sum + count, 0),
        newest: this.#newest,
      },
      ancestors: known.ancestors.map(({ origin: name, size, isSameOrder }) => ({
        origin: name,
        size,
        isSameOrder,
        signed: known.signedAs(name),
      })),
      findings: this.#findings,
      unreachable: this.#unreachable,
    };
  }

  /** @returns false where a stop was requested */
  async #readLog(comparison: TreeComparison, known: KnownCheckpoints, tiles: TileReader): Promise<boolean> {
    const { since, files } = this.#settings;
    let after: Position | 'start' = 'start';
    if (since !== undefined) {
      await this.#beginAt(since, known, tiles);
      const number = Math.floor(since.size / TILE_WIDTH);
      this.#index = number * TILE_WIDTH;
      after = await new EventPositions(files).before(number);
    }
    const sound = await this.#readRuns(after, known, tiles);
    if (sound === 'stopped') return false;
    after = sound;
    for (;;) {
      try {
        return await this.#readFrom(after, comparison, known, tiles);
      } catch (error) {
        if (!(error instanceof BrokenChain)) throw error;
        // One that cannot be read is there all the same, since its place in the tree is.
        await this.#take(error.event, true, comparison);
        after = error.event.position;
      }
    }
  }

  /** @returns the position behind what is sound, or where a stop was requested */
  async #readRuns(after: Position | 'start', known: KnownCheckpoints, tiles: TileReader): Promise<Position | 'start' | 'stopped'> {
    const { runs, files, knownCategories, onProgress, isStopRequested = () => false } = this.#settings;
    if (runs === undefined) return after;
    let end = after;
    const settings = { runs, tiles, positions: new EventPositions(files), knownCategories };
    for await (const run of soundRuns(settings, { tile: Math.floor(this.#index / TILE_WIDTH), after })) {
      await this.#takeRun(run, known, tiles);
      end = run.to;
      onProgress?.(this.#read);
      if (isStopRequested()) return 'stopped';
    }
    return end;
  }

  /** Only a tile within which a checkpoint lies is taken leaf by leaf. */
  async #takeRun(run: SoundRun, known: KnownCheckpoints, tiles: TileReader): Promise<void> {
    let nextSize = known.nextSize;
    const first = run.firstTile * TILE_WIDTH;
    for (let tile = 0; tile < run.tiles; tile++) {
      const [start, end] = [first + tile * TILE_WIDTH, first + (tile + 1) * TILE_WIDTH];
      const isWhole = this.#frontier.size === start && !(nextSize > start && nextSize < end);
      if (isWhole) this.#push(TILE_HEIGHT, hashAt(run.roots, tile), () => this.#placeIn(run, start));
      for (let index = this.#frontier.size; index < end; index++) {
        this.#push(0, hashAt(run.leaves, index - first), () => this.#placeIn(run, index));
        if (index + 1 < end && index + 1 === nextSize) nextSize = await this.#meet(known, nextSize, tiles, () => this.#placeIn(run, index));
      }
      if (nextSize === end) nextSize = await this.#meet(known, end, tiles, () => this.#placeIn(run, end - 1));
    }
    this.#index = first + run.tiles * TILE_WIDTH;
    this.#read += run.tiles * TILE_WIDTH;
    this.#leftOut += run.leftOut;
    this.#last = run;
  }

  async #readFrom(after: Position | 'start', comparison: TreeComparison, known: KnownCheckpoints, tiles: TileReader): Promise<boolean> {
    const { log, onProgress, isStopRequested = () => false } = this.#settings;
    const subscription = log.subscribe('all', after);
    let nextSize = known.nextSize;
    try {
      for await (const item of subscription) {
        if (item.kind === 'caught-up') return true;
        if (item.kind !== 'event') continue;
        // Most events wait for nothing: a promise for each would take as long as its hash.
        if (comparison.isReady(this.#index)) this.#takeNow(item.event, false, comparison);
        else await this.#take(item.event, false, comparison);
        if (this.#index === nextSize) nextSize = await this.#meet(known, nextSize, tiles, this.#lastPlace);
        if (this.#read % PROGRESS_EVENTS !== 0) continue;
        onProgress?.(this.#read);
        if (isStopRequested()) return false;
      }
      return true;
    } finally {
      await subscription.cancel();
    }
  }

  async #take(event: StoredEvent, isUnreadable: boolean, comparison: TreeComparison): Promise<void> {
    if (!comparison.isReady(this.#index)) await comparison.prepare(this.#index);
    this.#takeNow(event, isUnreadable, comparison);
  }

  #takeNow(event: StoredEvent, isUnreadable: boolean, comparison: TreeComparison): void {
    const index = this.#index;
    if (!isUnreadable && !hasLeaf(event)) return this.#leaveOut(event, index);
    const hash = isUnreadable ? EMPTY_ROOT : leafHash(leafText(event));
    comparison.compare(index, hash, () => placeOf(event, index), isUnreadable);
    if (index >= this.#frontier.size) this.#push(0, hash, () => Promise.resolve(placeOf(event, index)));
    this.#index = index + 1;
    this.#read += 1;
    this.#last = event;
  }

  /** @throws TileDamaged where the tree in its files does not reach the checkpoint */
  async #beginAt(since: SignedCheckpoint, known: KnownCheckpoints, tiles: TileReader): Promise<void> {
    if (since.size > tiles.treeSize) throw new TileDamaged(`the tree has ${tiles.treeSize} events, and the checkpoint ${since.size}`);
    const isSame = (await rootAt(tiles, since.size)).equals(since.root);
    if (!isSame) throw new TileDamaged(`the tree has another root than the checkpoint of ${since.size} events`);
    this.#frontier = new Frontier(undefined, since.size, await peaksAt(tiles, since.size));
    this.#newest = fitting({ checkpoint: since, place: 'the one that was given' });
    // Those before it are the tree's to fit: they were compared with it when it was signed.
    await known.takeUpTo(since.size);
  }

  #push(height: number, hash: Buffer, place: FindPlace): void {
    this.#frontier.pushSubtree(height, hash);
    if (this.#firstBad === undefined) this.#firstBehindGood ??= place;
  }

  /** Of the newest event that was read. */
  get #lastPlace(): FindPlace {
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
    this.#leftOut += 1;
    if (!this.#settings.knownCategories.has(categoryOf(event.stream))) return;
    this.#withoutChain += 1;
    if (this.#withoutChain <= WITHOUT_CHAIN_MAX) this.#findings.push({ kind: 'event-without-chain', at: placeOf(event, index) });
  }

  /** Compares the tree at this size with the checkpoints of it. @param at of its last event @returns the size at which the next one is due */
  async #meet(known: KnownCheckpoints, size: number, tiles: TileReader, at: FindPlace): Promise<number> {
    const root = this.#frontier.root();
    const met = await known.takeUpTo(size);
    const ofSize = met.filter(({ checkpoint }) => checkpoint.size === size);
    // One that was written late is of an older tree: two processes may have signed at once.
    for (const late of met.filter(({ checkpoint }) => checkpoint.size < size)) await this.#meetLate(late, tiles);
    const [first] = ofSize;
    const other = ofSize.find(({ checkpoint }) => first !== undefined && !checkpoint.root.equals(first.checkpoint.root));
    if (first !== undefined && other !== undefined) this.#findings.push({ kind: 'fork', size, places: [first.place, other.place] });
    const bad = ofSize.find(({ checkpoint }) => !checkpoint.root.equals(root));
    if (bad === undefined && first !== undefined && this.#firstBad === undefined) {
      this.#newest = fitting(first);
      this.#goodEnd = at;
      this.#firstBehindGood = undefined;
    }
    if (bad !== undefined && this.#firstBad === undefined && other === undefined) {
      this.#firstBad = bad;
      this.#badEnd = at;
    }
    return known.nextSize;
  }

  async #meetLate(late: FoundCheckpoint, tiles: TileReader): Promise<void> {
    const { size, root } = late.checkpoint;
    if (this.#firstBad !== undefined || size > tiles.treeSize) return;
    const same = await orDamaged(async () => (await rootAt(tiles, size)).equals(root));
    if (same === false && !this.#forks.has(size)) {
      this.#forks.add(size);
      this.#findings.push({ kind: 'fork', size, places: [late.place, 'the tree'] });
    }
  }

  async #conclude(comparison: TreeComparison, known: KnownCheckpoints, tiles: TileReader): Promise<void> {
    const ahead = await known.last();
    await this.#concludeDifferences(comparison, ahead[0], tiles);
    await this.#concludeEnd(comparison, ahead, tiles);
    for (const { origin, size, place } of known.otherLogs) this.#findings.push({ kind: 'other-log', origin, size, place });
    await this.#concludeAncestors(known, tiles);
    if (known.verified === 0 && known.ignored.size > 0 && this.#settings.key !== undefined)
      this.#findings.push({ kind: 'none-verified', places: [...known.ignored.keys()] });
  }

  /** The tree in its files fits the log by now, or that is a finding already. */
  async #concludeAncestors({ ancestors }: KnownCheckpoints, tiles: TileReader): Promise<void> {
    for (const { origin, size, root, isSameOrder } of ancestors) {
      if (!isSameOrder || size > tiles.treeSize) continue;
      const isSame = await orDamaged(async () => (await rootAt(tiles, size)).equals(root));
      if (isSame === false) this.#findings.push({ kind: 'ancestor-differs', origin, size });
    }
  }

  /** @param ahead a checkpoint that the log does not reach: with an event missing, no other may be there */
  async #concludeDifferences(
    { differences, damage }: TreeComparison,
    ahead: FoundCheckpoint | undefined,
    tiles: TileReader,
  ): Promise<void> {
    const good = this.#newest?.size ?? 0;
    const bad = this.#firstBad;
    const signer = bad ?? ahead;
    // Under a checkpoint that the log fits, the log is what was signed: it is the tree's file that changed.
    const ofLog = differences.filter(({ at }) => at.index >= good);
    const [inTree] = differences.filter(({ at }) => at.index < good);
    if (inTree !== undefined) this.#findings.push({ kind: 'tree-damaged', what: `its leaf ${inTree.at.index} is another one` });
    else if (damage !== undefined) this.#findings.push({ kind: 'tree-damaged', what: damage });
    const isTreeSigned =
      signer !== undefined &&
      signer.checkpoint.size <= tiles.treeSize &&
      (await orDamaged(async () => (await rootAt(tiles, signer.checkpoint.size)).equals(signer.checkpoint.root))) === true;
    const isUnder = (at: EventPlace): boolean => signer !== undefined && isTreeSigned && at.index < signer.checkpoint.size;
    const isBadExplained = ofLog.some(({ at }) => isUnder(at));
    for (const { at, difference } of ofLog) {
      const evidence: Evidence =
        signer !== undefined && isUnder(at) ? { kind: 'signed', size: signer.checkpoint.size, place: signer.place } : { kind: 'tree' };
      this.#findings.push({ kind: 'event-differs', at, difference, evidence });
    }
    if (bad === undefined || isBadExplained) return;
    const goodEnd = await this.#goodEnd?.();
    this.#findings.push({
      kind: 'changed-between',
      good: goodEnd === undefined ? 0 : goodEnd.index + 1,
      bad: bad.checkpoint.size,
      place: bad.place,
      from: await this.#firstBehindGood?.(),
      to: await this.#badEnd?.(),
    });
  }

  async #concludeEnd(comparison: TreeComparison, ahead: readonly FoundCheckpoint[], tiles: TileReader): Promise<void> {
    const events = this.#frontier.size;
    const last = ahead.length > 0 || events < tiles.treeSize ? await this.#lastPlace() : undefined;
    for (const { checkpoint, place } of ahead) this.#findings.push({ kind: 'log-shorter', events, expected: checkpoint.size, place, last });
    if (ahead.length > 0) return;
    if (events < tiles.treeSize) {
      this.#findings.push({ kind: 'log-shorter', events, expected: tiles.treeSize, place: undefined, last });
    } else if (comparison.damage === undefined && comparison.differences.length === 0) {
      // The leaves fit, so that what does not is above them.
      const root = await orDamaged(() => rootAt(tiles, tiles.treeSize));
      const state = await readTreeState(this.#settings.files);
      if (root === undefined || (state?.size === tiles.treeSize && !root.equals(state.root)))
        this.#findings.push({ kind: 'tree-damaged', what: 'its tiles do not have its root' });
    }
  }
}

const placeOf = ({ position, stream, revision }: StoredEvent, index: number): EventPlace => ({
  index,
  position,
  stream,
  revision: Number(revision),
});

const fitting = ({ checkpoint, place }: FoundCheckpoint): FittingCheckpoint => ({
  size: checkpoint.size,
  root: checkpoint.root.toString('base64'),
  madeAt: timeOf(checkpoint),
  place,
});

/** Undefined where a tile is damaged. */
const orDamaged = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TileDamaged) return undefined;
    throw error;
  }
};
