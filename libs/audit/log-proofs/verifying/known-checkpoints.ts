import type { CheckpointPlace } from '../building/checkpoint-place';
import { isCheckpointOf, type SignedCheckpoint } from '../checkpoints/checkpoint';
import type { VerifyKey } from '../checkpoints/log-key';

/** A checkpoint, and where it was found. */
export interface FoundCheckpoint {
  readonly checkpoint: SignedCheckpoint;
  readonly place: string;
}

/** A log of another name that the same key signed. */
export interface OtherLog {
  readonly origin: string;
  readonly place: string;
  readonly size: number;
}

/** What was found at a place. */
export interface PlaceCount {
  readonly place: string;
  /** Of this log, as far as the key is known signed by it. */
  readonly checkpoints: number;
  /** Of logs of other names. */
  readonly ofOtherLogs: number;
  /** Not signed by the key, or no checkpoints. */
  readonly passedOver: number;
}

const OTHER_LOGS_MAX = 100;

export interface KnownCheckpointsSettings {
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
