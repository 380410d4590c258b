import { isCheckpointOf, type SignedCheckpoint, timeOf } from './checkpoint';
import type { CheckpointPlace } from './checkpoint-places';
import type { VerifyKey } from './keys';
import { rootAt } from './merkle';
import { orDamaged, type TileReader } from './tiles';
import type { EventPlace, FittingCheckpoint, LogFinding, PlaceCount } from './verify-report';

/** A checkpoint, and where it was found. */
export interface FoundCheckpoint {
  readonly checkpoint: SignedCheckpoint;
  readonly place: string;
}

/** A log of another name that the same key signed. */
interface OtherLog {
  readonly origin: string;
  readonly place: string;
  readonly size: number;
}

const OTHER_LOGS_MAX = 100;

interface KnownCheckpointsSettings {
  readonly places: readonly CheckpointPlace[];
  /** Undefined: signatures are not checked. */
  readonly key: VerifyKey | undefined;
  readonly origin: string;
  readonly onUnreachable: (place: string, error: unknown) => void;
}

type Counted = { -readonly [Key in keyof PlaceCount]: PlaceCount[Key] };

interface PlaceReader {
  readonly name: string;
  readonly notes: AsyncIterator<FoundCheckpoint, undefined>;
  next: FoundCheckpoint | undefined;
}

/** The checkpoints of one log at all its places, from the smallest tree to the largest, read side by side: memory does not grow with their number. */
export class KnownCheckpoints {
  readonly #settings: KnownCheckpointsSettings;
  readonly #readers: PlaceReader[] = [];
  readonly #others = new Map<string, OtherLog>();
  readonly #counts: Counted[] = [];
  /** Of the largest tree of this log that a checkpoint is of. */
  largest = 0;

  private constructor(settings: KnownCheckpointsSettings) {
    this.#settings = settings;
  }

  static async open(settings: KnownCheckpointsSettings): Promise<KnownCheckpoints> {
    const known = new KnownCheckpoints(settings);
    for (const place of settings.places) {
      const reader: PlaceReader = { name: place.name, notes: known.#verified(place), next: undefined };
      await known.#advance(reader);
      known.#readers.push(reader);
    }
    return known;
  }

  /** By the checkpoints that were read so far. */
  get counts(): readonly PlaceCount[] {
    return this.#counts;
  }

  get verified(): number {
    return this.#counts.reduce((sum, { checkpoints }) => sum + checkpoints, 0);
  }

  /** Notes that are no checkpoint, or that the key did not sign, by their place. */
  get ignored(): ReadonlyMap<string, number> {
    return new Map(this.#counts.flatMap(({ place, passedOver }) => (passedOver > 0 ? [[place, passedOver]] : [])));
  }

  /** Logs of other names that the key signed. */
  get otherLogs(): readonly OtherLog[] {
    return [...this.#others.values()];
  }

  /** The size of the smallest tree that has a checkpoint left; infinite where none is. */
  get nextSize(): number {
    return Math.min(...this.#readers.map(({ next }) => next?.checkpoint.size ?? Infinity));
  }

  /** The checkpoints of trees of at most this size, of all places; each once. */
  async takeUpTo(size: number): Promise<readonly FoundCheckpoint[]> {
    const taken: FoundCheckpoint[] = [];
    for (const reader of this.#readers) {
      while (reader.next !== undefined && reader.next.checkpoint.size <= size) {
        taken.push(reader.next);
        await this.#advance(reader);
      }
    }
    return taken;
  }

  /** The largest that are left at each place. */
  async last(): Promise<readonly FoundCheckpoint[]> {
    const last: FoundCheckpoint[] = [];
    for (const reader of this.#readers) {
      let newest: FoundCheckpoint | undefined;
      for (; reader.next !== undefined; await this.#advance(reader)) {
        if (newest === undefined || reader.next.checkpoint.size > newest.checkpoint.size) newest = reader.next;
      }
      if (newest !== undefined) last.push(newest);
    }
    return last;
  }

  async #advance(reader: PlaceReader): Promise<void> {
    try {
      reader.next = (await reader.notes.next()).value;
    } catch (error) {
      reader.next = undefined;
      this.#settings.onUnreachable(reader.name, error);
    }
  }

  async *#verified(place: CheckpointPlace): AsyncGenerator<FoundCheckpoint, undefined> {
    const { key, origin } = this.#settings;
    const count: Counted = { place: place.name, checkpoints: 0, ofOtherLogs: 0, passedOver: 0 };
    this.#counts.push(count);
    for await (const one of place.all()) {
      if ('unreadable' in one || (key !== undefined && !isCheckpointOf(one, key))) {
        count.passedOver += 1;
        continue;
      }
      if (one.origin !== origin) {
        count.ofOtherLogs += 1;
        this.#keepOther(one, place.name);
        continue;
      }
      count.checkpoints += 1;
      this.largest = Math.max(this.largest, one.size);
      yield { checkpoint: one, place: place.name };
    }
    return undefined;
  }

  #keepOther({ origin, size }: SignedCheckpoint, place: string): void {
    const known = this.#others.get(origin);
    if (known === undefined && this.#others.size >= OTHER_LOGS_MAX) return;
    if (known === undefined || size > known.size) this.#others.set(origin, { origin, place, size });
  }
}

/** What the checkpoints say of a log while it is read: the newest that it fits, the first that it does not, and forks between them. */
export class CheckpointMeetings {
  readonly findings: LogFinding[] = [];
  newest: FittingCheckpoint | undefined;
  firstBad: FoundCheckpoint | undefined;
  /** The first behind each difference that the log does not fit. */
  readonly badBehind: FoundCheckpoint[] = [];
  /** Of the last event under the first checkpoint that does not fit. */
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
