import type { Instant, Scheduled, Scheduler } from '@app/kernel';
import type { StreamName } from '../core/port';
import type { WorkItem } from './open-work';
import type { Lane } from './lane-round-robin';

/** Maximum of items with a failure count. Above it, the oldest count is dropped, never the item. */
const FAILURES_MAX = 10_000;

export class FailureCounts {
  readonly #failures = new Map<string, number>();

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
  readonly inFlightMax?: number | undefined;
  readonly inFlightPerLaneMax?: number | undefined;
  readonly busyElsewhere?: ((lane: string) => number) | undefined;
}

const IN_FLIGHT_MAX = 512;
const IN_FLIGHT_PER_LANE_MAX = 16;

/**
 * Running items and free capacity. A lane may run only as many items as remain free for others, so that idle lanes have room even if all
 * others hang (architecture, rule 9).
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

  get hasRoom(): boolean {
    return this.#keys.size < this.max;
  }

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

export interface DoneItem {
  readonly item: WorkItem;
  /** The item runs again if the work table still lists it unchanged at this time. */
  readonly repeatAt: Instant;
}

interface UnprojectedItemsSettings {
  readonly folded: () => Promise<void>;
  readonly scheduler: Scheduler;
  /** Called with the items whose events are projected, or with none after a timeout. */
  readonly onFolded: (items: readonly DoneItem[]) => void;
}

/** Longest wait for the projection, so that a slow one does not delay other items. */
const FOLD_WAIT_MS_MAX = 5_000;

/** Finished items whose events may not be projected yet. One wait covers all items finished before it; later ones share the next. */
export class UnprojectedItems {
  readonly #settings: UnprojectedItemsSettings;
  #asked: readonly DoneItem[] = [];
  #next: DoneItem[] = [];
  #endWait = (): void => undefined;
  #isStopped = false;

  constructor(settings: UnprojectedItemsSettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#asked.length + this.#next.length;
  }

  add(item: DoneItem): void {
    this.#next.push(item);
    if (!this.#isStopped && this.#asked.length === 0) void this.#ask();
  }

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
      // A failure does not show that the items are projected, so the timeout ends this wait.
      folded().then(this.#endWait, () => undefined);
    });
  }
}
