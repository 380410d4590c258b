import type { Instant } from '@app/kernel';
import type { Lanes } from './lanes';
import type { WorkItem } from './open-work';

interface Hidden {
  readonly item: WorkItem;
  until: Instant;
  isUnprojected: boolean;
}

/** Items that the work table may list unchanged but that must not start yet. An item listed with another due time is new work. */
export class HiddenItems {
  readonly #lanes: Lanes;
  readonly #hidden = new Map<string, Hidden>();
  #unprojected = 0;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  get unprojected(): number {
    return this.#unprojected;
  }

  untilOf({ key, dueAt }: WorkItem): Instant | undefined {
    const hidden = this.#hidden.get(key);
    return hidden?.item.dueAt === dueAt ? hidden.until : undefined;
  }

  hide(item: WorkItem, until: Instant, isUnprojected = false): void {
    this.show(item.key);
    this.#hidden.set(item.key, { item, until, isUnprojected });
    if (isUnprojected) this.#count(item.lane, 1);
  }

  projected({ key, dueAt }: WorkItem, until: Instant): void {
    const hidden = this.#hidden.get(key);
    if (hidden?.item.dueAt !== dueAt || !hidden.isUnprojected) return;
    hidden.until = until;
    hidden.isUnprojected = false;
    this.#count(hidden.item.lane, -1);
  }

  show(key: string): void {
    const hidden = this.#hidden.get(key);
    if (hidden === undefined) return;
    this.#hidden.delete(key);
    if (hidden.isUnprojected) this.#count(hidden.item.lane, -1);
  }

  showUntil(now: Instant): void {
    for (const [key, { until }] of this.#hidden) if (until <= now) this.show(key);
  }

  #count(name: string, change: 1 | -1): void {
    this.#unprojected += change;
    const lane = this.#lanes.of(name);
    lane.unprojected += change;
    if (lane.isEmpty) this.#lanes.drop(lane);
  }
}
