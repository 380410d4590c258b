import type { Instant, Scheduled, Scheduler } from '@app/kernel';
import type { StreamName } from '../core/port';
import type { WorkItem } from './open-work';
import type { Lane } from './lane-turns';

/** Maximum of items with a failure count; beyond it the oldest count is dropped, never the item. */
const FAILURES_MAX = 10_000;

/** How often each item failed since it last succeeded. */
export class FailureCounts {
  readonly #failures = new Map<string, number>();

  /** Counts one more failure and returns the count. */
  add(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.delete(key);
    this.#failures.set(key, failures);
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= FAILURES_MAX) break;
      this.#failures.delete(oldest);
    }
    return failures;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}

export interface RunningItemsLimits {
  /** Half is shared by all lanes; the other half is reserved for lanes without running items, one item each. */
  readonly inFlightMax?: number | undefined;
  readonly inFlightPerLaneMax?: number | undefined;
  /** Count of a lane's items that run elsewhere. They take room of the lane. */
  readonly busyElsewhere?: ((lane: string) => number) | undefined;
}

const IN_FLIGHT_MAX = 512;
const IN_FLIGHT_PER_LANE_MAX = 16;

/**
 * The items that run now, and the room for more. A lane may run no more items than there is room left for others, so that each lane's share shrinks as more
 * are busy, and a lane without running items finds room even while all others hang (architecture, rule 9).
 */
export class RunningItems {
  readonly max: number;
  readonly #sharedMax: number;
  readonly #perLaneMax: number;
  readonly #busyElsewhere: ((lane: string) => number) | undefined;
  readonly #keys = new Set<string>();
  readonly #streams = new Set<StreamName>();

  constructor({ inFlightMax, inFlightPerLaneMax, busyElsewhere }: RunningItemsLimits) {
    this.max = inFlightMax ?? IN_FLIGHT_MAX;
    this.#sharedMax = Math.ceil(this.max / 2);
    this.#perLaneMax = inFlightPerLaneMax ?? IN_FLIGHT_PER_LANE_MAX;
    this.#busyElsewhere = busyElsewhere;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Whether a lane without running items may begin one. */
  get hasRoom(): boolean {
    return this.#keys.size < this.max;
  }

  /** Whether any lane with running items may begin one more; such a lane already runs one item, which counts against its share. */
  get hasSharedRoom(): boolean {
    return this.#keys.size + 1 < this.#sharedMax;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  isBusy(stream: StreamName): boolean {
    return this.#streams.has(stream);
  }

  isFull({ name, inFlight }: Lane): boolean {
    return inFlight + (this.#busyElsewhere?.(name) ?? 0) >= this.#perLaneMax;
  }

  hasRoomFor(lane: Lane): boolean {
    const { inFlight } = lane;
    if (inFlight === 0) return this.hasRoom;
    if (this.isFull(lane)) return false;
    return inFlight < Math.min(this.#perLaneMax, this.#sharedMax - this.#keys.size);
  }

  begin(lane: Lane, { key, stream }: WorkItem): void {
    this.#keys.add(key);
    this.#streams.add(stream);
    lane.inFlight += 1;
  }

  end({ key, stream }: WorkItem): void {
    this.#keys.delete(key);
    this.#streams.delete(stream);
  }
}

/** An item that is done. */
export interface DoneItem {
  readonly item: WorkItem;
  /** Where the memory still lists it unchanged then, although it has folded what the item stored, it is done again. */
  readonly repeatAt: Instant;
}

interface UnfoldedItemsSettings {
  /** Resolves once the memory has folded all that is in the log now. */
  readonly folded: () => Promise<void>;
  readonly scheduler: Scheduler;
  /** Called with items whose events are folded; with none where that takes longer than is waited for. */
  readonly onFolded: (items: readonly DoneItem[]) => void;
}

/** The longest wait for the memory, which may be further behind, or fold nothing at all: others must not wait for it. */
const FOLD_WAIT_MS_MAX = 5_000;

/**
 * Items that are done while it is not known whether the memory has folded what they stored, until which it may list them still. One wait asks for all that
 * finished before it; those that finish meanwhile are of the next.
 */
export class UnfoldedItems {
  readonly #settings: UnfoldedItemsSettings;
  #asked: readonly DoneItem[] = [];
  #next: DoneItem[] = [];
  #endWait = (): void => undefined;
  #isStopped = false;

  constructor(settings: UnfoldedItemsSettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#asked.length + this.#next.length;
  }

  add(item: DoneItem): void {
    this.#next.push(item);
    if (!this.#isStopped && this.#asked.length === 0) void this.#ask();
  }

  /** Waits for nothing any more. */
  stop(): void {
    this.#isStopped = true;
    this.#endWait();
  }

  async #ask(): Promise<void> {
    while (this.#next.length > 0) {
      this.#asked = this.#next;
      this.#next = [];
      const isFolded = await this.#foldedInTime();
      if (this.#isStopped) return;
      const items = isFolded ? this.#asked : [];
      this.#asked = [];
      this.#settings.onFolded(items);
    }
  }

  #foldedInTime(): Promise<boolean> {
    const { folded, scheduler } = this.#settings;
    return new Promise((resolve) => {
      const late: Scheduled = scheduler.after(FOLD_WAIT_MS_MAX, () => resolve(false));
      this.#endWait = () => {
        late.cancel();
        resolve(true);
      };
      // A memory that fails is no answer: the wait is over when it is late.
      folded().then(this.#endWait, () => undefined);
    });
  }
}
