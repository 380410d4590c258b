import { BrokenChain, categoryOf, type Position, type StoredEvent } from '@app/event-store';
import { isCheckpointOf, type SignedCheckpoint, timeOf, type VerifyKey } from './checkpoint';
import type { CheckpointStore, FoundCheckpoint } from './checkpoint-stores';
import { hasLeaf, leafText, type ReadableLog, readTreeState } from './log-tree';
import { EMPTY_ROOT, Frontier, leafHash, peaksAt, rootAt } from './merkle';
import type { ProofFiles } from './proof-files';
import { beforeTile, hashAt, orDamaged, TILE_WIDTH, TileDamaged, TileReader } from './tiles';
import {
  type Difference,
  type EventPlace,
  eventPlace,
  type Evidence,
  type FittingCheckpoint,
  type LogFinding,
  type PlaceCount,
  type VerifyLogReport,
} from './verify-report';

export interface VerifyLogSettings {
  readonly log: ReadableLog;
  readonly files: ProofFiles;
  readonly places: readonly CheckpointStore[];
  /** Undefined: checkpoints are only compared, and signatures are not checked. */
  readonly key: VerifyKey | undefined;
  readonly origin: string;
  /** Start of the check: earlier events are taken from the tree. The caller must verify its signature. */
  readonly since?: SignedCheckpoint;
  /** Categories of this service, whose every event has a hash chain. */
  readonly knownCategories: ReadonlySet<string>;
  /** True if the store counts positions from 1 without gaps. */
  readonly hasEveryPosition?: boolean;
  readonly onProgress?: (events: number) => void;
  readonly isStopRequested?: () => boolean;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

interface PlaceReader {
  readonly name: string;
  readonly notes: AsyncIterator<FoundCheckpoint, undefined>;
  next: FoundCheckpoint | undefined;
}

const OTHER_LOGS_MAX = 100;

/** Checkpoints from all places in ascending size, merged lazily, so that memory does not grow with their number. */
class KnownCheckpoints {
  readonly counts: Writable<PlaceCount>[] = [];
  readonly unreachable: { readonly place: string; readonly problem: string }[] = [];
  readonly otherLogs = new Map<string, Extract<LogFinding, { readonly kind: 'other-log' }>>();
  largest = 0;
  readonly #settings: VerifyLogSettings;
  readonly #readers: PlaceReader[] = [];

  private constructor(settings: VerifyLogSettings) {
    this.#settings = settings;
  }

  static async open(settings: VerifyLogSettings): Promise<KnownCheckpoints> {
    const known = new KnownCheckpoints(settings);
    for (const place of settings.places) {
      const reader: PlaceReader = { name: place.name, notes: known.#verified(place), next: undefined };
      await known.#advance(reader);
      known.#readers.push(reader);
    }
    return known;
  }

  get verified(): number {
    return this.counts.reduce((sum, { checkpoints }) => sum + checkpoints, 0);
  }

  get nextSize(): number {
    return Math.min(...this.#readers.map(({ next }) => next?.checkpoint.size ?? Infinity));
  }

  /** Checkpoints of at most this size, of all places; each once. */
  async takeUpTo(size: number): Promise<readonly FoundCheckpoint[]> {
    const taken: FoundCheckpoint[] = [];
    for (const reader of this.#readers)
      for (; reader.next !== undefined && reader.next.checkpoint.size <= size; await this.#advance(reader)) taken.push(reader.next);
    return taken;
  }

  async last(): Promise<readonly FoundCheckpoint[]> {
    const last: FoundCheckpoint[] = [];
    for (const reader of this.#readers) {
      let newest: FoundCheckpoint | undefined;
      for (; reader.next !== undefined; await this.#advance(reader))
        if (newest === undefined || reader.next.checkpoint.size > newest.checkpoint.size) newest = reader.next;
      if (newest !== undefined) last.push(newest);
    }
    return last;
  }

  async #advance(reader: PlaceReader): Promise<void> {
    try {
      reader.next = (await reader.notes.next()).value;
    } catch (error) {
      reader.next = undefined;
      this.unreachable.push({ place: reader.name, problem: error instanceof Error ? error.message : String(error) });
    }
  }

  async *#verified(at: CheckpointStore): AsyncGenerator<FoundCheckpoint, undefined> {
    const { name: place } = at;
    const { key, origin: own } = this.#settings;
    const count: Writable<PlaceCount> = { place, checkpoints: 0, ofOtherLogs: 0, passedOver: 0 };
    this.counts.push(count);
    for await (const checkpoint of at.all()) {
      if ('unreadable' in checkpoint || (key !== undefined && !isCheckpointOf(checkpoint, key))) {
        count.passedOver += 1;
        continue;
      }
      const { origin, size } = checkpoint;
      if (origin === own) {
        count.checkpoints += 1;
        this.largest = Math.max(this.largest, size);
        yield { checkpoint, place };
        continue;
      }
      count.ofOtherLogs += 1;
      const known = this.otherLogs.get(origin);
      if (known === undefined ? this.otherLogs.size < OTHER_LOGS_MAX : size > known.size)
        this.otherLogs.set(origin, { kind: 'other-log', origin, size, place });
    }
    return undefined;
  }
}

const fits = (tiles: TileReader, { size, root }: SignedCheckpoint): Promise<boolean | undefined> =>
  orDamaged(async () => (await rootAt(tiles, size)).equals(root));

const fitting = ({ checkpoint, place }: FoundCheckpoint): FittingCheckpoint => ({
  size: checkpoint.size,
  root: checkpoint.root.toString('base64'),
  madeAt: timeOf(checkpoint),
  place,
});

const numberOf = (position: Position | 'start'): number => (position === 'start' ? 0 : Number(position));

interface FoundDifference {
  readonly at: EventPlace;
  difference: Difference;
}

const DIFFERENCES_MAX = 20;
const WITHOUT_CHAIN_MAX = 10;
const GAPS_MAX = 10;
const PROGRESS_EVENTS = 4_096;

/** One pass over the log: rebuilds its tree and compares it with the stored leaves and every checkpoint. */
class LogPass {
  readonly withoutChain: LogFinding[] = [];
  readonly gaps: LogFinding[] = [];
  readonly forks: LogFinding[] = [];
  readonly differences: FoundDifference[] = [];
  damage: string | undefined;
  /** The newest matching checkpoint, and the first mismatch. */
  newest: FittingCheckpoint | undefined;
  firstBad: FoundCheckpoint | undefined;
  readonly badBehind: FoundCheckpoint[] = [];
  badEnd: EventPlace | undefined;
  firstBehindGood: EventPlace | undefined;
  read = 0;
  leftOut = 0;
  readonly #settings: VerifyLogSettings;
  readonly #tiles: TileReader;
  readonly #known: KnownCheckpoints;
  #frontier = new Frontier();
  #index = 0;
  #position = 0;
  #last: StoredEvent | undefined;
  #tile: Buffer | undefined;
  #tileNumber = -1;
  #tileAhead: { readonly number: number; readonly tile: Promise<Buffer> } | undefined;
  #isComparisonOver = false;
  /** A difference that the next leaf will classify, and the tree's hash at its index. */
  #open: { readonly found: FoundDifference; readonly expected: Buffer } | undefined;
  #differencesBefore = 0;

  constructor(settings: VerifyLogSettings, tiles: TileReader, known: KnownCheckpoints) {
    this.#settings = settings;
    this.#tiles = tiles;
    this.#known = known;
  }

  get events(): number {
    return this.#frontier.size;
  }

  get root(): Buffer {
    return this.#frontier.root();
  }

  get lastPlace(): EventPlace | undefined {
    return this.#last && eventPlace(this.#last, this.#index - 1);
  }

  async run(): Promise<boolean> {
    const { since, files } = this.#settings;
    let after: Position | 'start' = 'start';
    if (since !== undefined) {
      await this.#beginBehind(since);
      const number = Math.floor(since.size / TILE_WIDTH);
      this.#index = number * TILE_WIDTH;
      after = await beforeTile(files, number);
    }
    this.#position = numberOf(after);
    for (;;) {
      try {
        return await this.#readFrom(after);
      } catch (error) {
        if (!(error instanceof BrokenChain)) throw error;
        // An unreadable event keeps its index in the tree.
        if (!this.#isTileReady()) await this.#readTile();
        this.#take(error.event, true);
        after = error.event.position;
      }
    }
  }

  /** Earlier events are covered by the tree, which was checked when it was signed. @throws TileDamaged if the tree does not reach it */
  async #beginBehind(since: SignedCheckpoint): Promise<void> {
    const { size, root } = since;
    if (size > this.#tiles.treeSize) throw new TileDamaged(`the tree has ${this.#tiles.treeSize} events, and the checkpoint ${size}`);
    if (!(await rootAt(this.#tiles, size)).equals(root))
      throw new TileDamaged(`the tree has another root than the checkpoint of ${size} events`);
    this.#frontier = new Frontier(undefined, size, await peaksAt(this.#tiles, size));
    this.newest = fitting({ checkpoint: since, place: 'the one that was given' });
    await this.#known.takeUpTo(size);
  }

  async #readFrom(after: Position | 'start'): Promise<boolean> {
    const { log, onProgress, isStopRequested = () => false } = this.#settings;
    const subscription = log.subscribe('all', after);
    let { nextSize } = this.#known;
    try {
      for await (const item of subscription) {
        if (item.kind === 'caught-up') return true;
        if (item.kind !== 'event') continue;
        // Most events need no wait: a promise for each would cost as much as its hash.
        if (!this.#isTileReady()) await this.#readTile();
        this.#take(item.event, false);
        if (this.#index === nextSize) {
          await this.#meet();
          ({ nextSize } = this.#known);
        }
        if (this.read % PROGRESS_EVENTS !== 0) continue;
        onProgress?.(this.read);
        if (isStopRequested()) return false;
      }
      return true;
    } finally {
      await subscription.cancel();
    }
  }

  #take(event: StoredEvent, isUnreadable: boolean): void {
    const index = this.#index;
    if (this.#settings.hasEveryPosition === true) this.#followPosition(event, index);
    if (!isUnreadable && !hasLeaf(event)) return this.#leaveOut(event, index);
    const hash = isUnreadable ? EMPTY_ROOT : leafHash(leafText(event));
    this.#compare(hash, event, isUnreadable);
    if (index >= this.#frontier.size) {
      this.#frontier.push(hash);
      if (this.firstBad === undefined) this.firstBehindGood ??= eventPlace(event, index);
    }
    this.#index = index + 1;
    this.read += 1;
    this.#last = event;
  }

  #followPosition(event: StoredEvent, index: number): void {
    const [expected, position] = [this.#position + 1, numberOf(event.position)];
    this.#position = position;
    if (position !== expected && this.gaps.length < GAPS_MAX)
      this.gaps.push({ kind: 'position-gap', at: eventPlace(event, index), expected });
  }

  #leaveOut(event: StoredEvent, index: number): void {
    this.leftOut += 1;
    const isOurs = this.#settings.knownCategories.has(categoryOf(event.stream));
    if (isOurs && this.withoutChain.length < WITHOUT_CHAIN_MAX)
      this.withoutChain.push({ kind: 'event-without-chain', at: eventPlace(event, index) });
  }

  #isTileReady(): boolean {
    const isBehindTree = this.#isComparisonOver || this.#index >= this.#tiles.treeSize;
    return isBehindTree || Math.floor(this.#index / TILE_WIDTH) === this.#tileNumber;
  }

  /** Reads the next tile and prefetches the one after it: reading a file takes longer than hashing a tile. */
  async #readTile(): Promise<void> {
    const number = Math.floor(this.#index / TILE_WIDTH);
    try {
      const reading = this.#tileAhead?.number === number ? this.#tileAhead.tile : this.#tiles.tile(0, number);
      this.#tileAhead = undefined;
      if ((number + 1) * TILE_WIDTH < this.#tiles.treeSize) {
        const tile = this.#tiles.tile(0, number + 1);
        tile.catch(() => undefined);
        this.#tileAhead = { number: number + 1, tile };
      }
      this.#tileNumber = number;
      this.#tile = await reading;
    } catch (error) {
      if (!(error instanceof TileDamaged)) throw error;
      this.damage ??= error.message;
      this.#isComparisonOver = true;
    }
  }

  /** Compares the next leaf with its tile, and classifies the previous difference. */
  #compare(hash: Buffer, event: StoredEvent, isUnreadable: boolean): void {
    const index = this.#index;
    const open = this.#open;
    this.#open = undefined;
    const inTree = index < this.#tiles.treeSize ? this.#tile : undefined;
    const leafAt = (at: number): Buffer | undefined => inTree && hashAt(inTree, at % TILE_WIDTH);
    if (open !== undefined) {
      const { found, expected } = open;
      if (hash.equals(expected)) found.difference = 'event-inserted';
      else if (leafAt(index)?.equals(hash) === false) found.difference = 'order-changed';
      if (found.difference !== 'changed') this.#isComparisonOver = true;
    }
    const expected = this.#isComparisonOver ? undefined : leafAt(index);
    if (expected === undefined || hash.equals(expected)) return;
    const found: FoundDifference = { at: eventPlace(event, index), difference: isUnreadable ? 'unreadable' : 'changed' };
    this.differences.push(found);
    if (this.differences.length >= DIFFERENCES_MAX) this.#isComparisonOver = true;
    else if (!isUnreadable) this.#open = { found, expected: Buffer.from(expected) };
    // If an event is missing, each leaf equals the tree's next one.
    const following = (index + 1) % TILE_WIDTH === 0 ? undefined : leafAt(index + 1);
    if (following?.equals(hash) !== true) return;
    found.difference = 'event-missing-before';
    this.#isComparisonOver = true;
    this.#open = undefined;
  }

  async #meet(): Promise<void> {
    const { size } = this.#frontier;
    const root = this.root;
    const met = await this.#known.takeUpTo(size);
    // A checkpoint written late has a smaller tree: two processes may have signed concurrently.
    for (const late of met) if (late.checkpoint.size < size) await this.#meetLate(late);
    const [first, ...others] = met.filter(({ checkpoint }) => checkpoint.size === size);
    if (first === undefined) return;
    const other = others.find(({ checkpoint }) => !checkpoint.root.equals(first.checkpoint.root));
    if (other !== undefined) this.forks.push({ kind: 'fork', size, places: [first.place, other.place] });
    const bad = [first, ...others].find(({ checkpoint }) => !checkpoint.root.equals(root));
    if (bad === undefined) {
      if (this.firstBad !== undefined) return;
      this.newest = fitting(first);
      this.firstBehindGood = undefined;
      return;
    }
    if (other !== undefined) return;
    if (this.firstBad === undefined) {
      this.firstBad = bad;
      this.badEnd = this.lastPlace;
    }
    if (this.differences.length === this.#differencesBefore) return;
    this.#differencesBefore = this.differences.length;
    this.badBehind.push(bad);
  }

  async #meetLate({ checkpoint, place }: FoundCheckpoint): Promise<void> {
    const { size } = checkpoint;
    if (this.firstBad !== undefined || size > this.#tiles.treeSize) return;
    const isKnown = this.forks.some((one) => one.kind === 'fork' && one.size === size && one.places.includes(THE_TREE));
    if ((await fits(this.#tiles, checkpoint)) === false && !isKnown) this.forks.push({ kind: 'fork', size, places: [place, THE_TREE] });
  }
}

const THE_TREE = 'the tree';

/** @param ahead a checkpoint beyond the log's end, which implies missing events */
const differencesOf = async (pass: LogPass, tiles: TileReader, ahead: FoundCheckpoint | undefined): Promise<readonly LogFinding[]> => {
  const { differences, damage, firstBad: bad } = pass;
  const findings: LogFinding[] = [];
  const good = pass.newest?.size ?? 0;
  const candidates = [bad, ...pass.badBehind, ahead].filter((one) => one !== undefined);
  // Under a matching checkpoint the log is as signed, so the tree's file has changed.
  const ofLog = differences.filter(({ at }) => at.index >= good);
  const [inTree] = differences.filter(({ at }) => at.index < good);
  if (inTree !== undefined) findings.push({ kind: 'tree-damaged', what: `its leaf ${inTree.at.index} is another one` });
  else if (damage !== undefined) findings.push({ kind: 'tree-damaged', what: damage });
  const signers: FoundCheckpoint[] = [];
  for (const one of candidates)
    if (one.checkpoint.size <= tiles.treeSize && (await fits(tiles, one.checkpoint)) === true) signers.push(one);
  const evidenceOf = ({ index }: EventPlace): Evidence => {
    const signer = signers.find(({ checkpoint }) => index < checkpoint.size);
    if (signer !== undefined) return { kind: 'signed', size: signer.checkpoint.size, place: signer.place };
    return { kind: 'tree', isReached: candidates.some(({ checkpoint }) => index < checkpoint.size) };
  };
  for (const { at, difference } of ofLog) findings.push({ kind: 'event-differs', at, difference, evidence: evidenceOf(at) });
  if (bad === undefined) return findings;
  const isShown = signers.includes(bad) && ofLog.some(({ at }) => at.index < bad.checkpoint.size);
  const { firstBehindGood: from, badEnd: to } = pass;
  if (!isShown) findings.push({ kind: 'changed-between', good, bad: bad.checkpoint.size, place: bad.place, from, to });
  return findings;
};

const endOf = async (
  { damage, differences, events, lastPlace: last, newest }: LogPass,
  { files }: VerifyLogSettings,
  tiles: TileReader,
  ahead: readonly FoundCheckpoint[],
): Promise<readonly LogFinding[]> => {
  if (ahead.length > 0)
    return ahead.map(({ checkpoint, place }) => ({ kind: 'log-shorter', events, expected: checkpoint.size, place, last }));
  if (events < tiles.treeSize) return [{ kind: 'log-shorter', events, expected: tiles.treeSize, place: undefined, last }];
  if (damage !== undefined || differences.length > 0) return [];
  const root = await orDamaged(() => rootAt(tiles, tiles.treeSize));
  // Read again: a running service flushes its tree before it signs newer checkpoints.
  const state = await readTreeState(files);
  if (newest !== undefined && newest.size > Math.max(tiles.treeSize, state?.size ?? 0))
    return [{ kind: 'tree-damaged', what: `it has ${tiles.treeSize} events, and the checkpoint at ${newest.place} ${newest.size}` }];
  const isWhole = root !== undefined && (state?.size !== tiles.treeSize || root.equals(state.root));
  return isWhole ? [] : [{ kind: 'tree-damaged', what: 'its tiles do not have its root' }];
};

/** A place that lacks checkpoints older than this was emptied or unavailable. */
const BEHIND_MS_MIN = 300_000;

/** Done last, on the current content: a running service adds to the places one after the other. */
const placesBehind = async ({ places, key, origin }: VerifyLogSettings): Promise<readonly LogFinding[]> => {
  const isOwn = (one: SignedCheckpoint): boolean => one.origin === origin && (key === undefined || isCheckpointOf(one, key));
  const firstBehind = async (place: CheckpointStore, size: number): Promise<SignedCheckpoint | undefined> => {
    for await (const one of place.all()) if (!('unreadable' in one) && one.size > size && isOwn(one)) return one;
    return undefined;
  };
  const newest = await Promise.all(places.map((place) => place.newest(isOwn).catch(() => undefined)));
  const sizes = newest.map((one) => one?.size ?? 0);
  const best = sizes.indexOf(Math.max(...sizes));
  const [bestPlace, until] = [places[best], newest[best] && timeOf(newest[best])];
  if (bestPlace === undefined || until === undefined) return [];
  const findings: LogFinding[] = [];
  for (const [at, { name }] of places.entries()) {
    const lacking = await firstBehind(bestPlace, sizes[at] ?? 0).catch(() => undefined);
    const since = lacking && timeOf(lacking);
    if (lacking !== undefined && since !== undefined && Date.parse(until) - Date.parse(since) >= BEHIND_MS_MIN)
      findings.push({ kind: 'place-behind', place: name, size: lacking.size, since, ahead: bestPlace.name });
  }
  return findings;
};

/** Reads the log, or the part after a checkpoint, and compares it with the stored tree and every checkpoint. Memory is bounded, whatever the log's size. @throws StoreUnavailable */
export const verifyLog = async (settings: VerifyLogSettings): Promise<VerifyLogReport> => {
  const state = await readTreeState(settings.files);
  const tiles = new TileReader(settings.files, state?.size ?? 0);
  const known = await KnownCheckpoints.open(settings);
  const pass = new LogPass(settings, tiles, known);
  if (state === undefined) pass.damage = 'its state cannot be read';
  const isComplete = await pass.run();
  const findings = [...pass.withoutChain, ...pass.forks];
  if (isComplete) {
    const ahead = await known.last();
    findings.push(
      ...(await differencesOf(pass, tiles, ahead[0])),
      ...(await endOf(pass, settings, tiles, ahead)),
      ...known.otherLogs.values(),
    );
    const ignored = known.counts.filter(({ passedOver }) => passedOver > 0);
    if (known.verified === 0 && ignored.length > 0 && settings.key !== undefined)
      findings.push({ kind: 'none-verified', places: ignored.map(({ place }) => place) });
    else for (const { place, passedOver: notes } of ignored) findings.push({ kind: 'not-signed', place, notes });
    findings.push(...(await placesBehind(settings)));
  }
  const { events, read, leftOut, root, newest, gaps } = pass;
  const { verified, largest, counts: places, unreachable } = known;
  return {
    isComplete,
    events,
    read,
    leftOut,
    treeSize: tiles.treeSize,
    root: root.toString('base64'),
    checkpoints: { verified, ignored: places.reduce((sum, { passedOver }) => sum + passedOver, 0), newest, largest, places },
    findings: [...findings, ...gaps],
    unreachable,
  };
};
