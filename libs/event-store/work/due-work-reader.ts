import { type Instant, addMs, type Clock } from '@app/kernel';
import type { WorkItem, DueLane, OpenWork } from './open-work';
import { type Lane, type LaneRoundRobin, LANES_MAX } from './lane-round-robin';
import type { RunningItems } from './running-items';

interface Held {
  readonly lane: Lane;
  readonly dueAt: Instant;
  until: Instant;
  isListed: boolean;
}

/** Finished or failed items that the work table may still list unchanged. An item listed with another due time is new work. */
export class RecentlyFinishedItems {
  readonly #lanes: LaneRoundRobin;
  readonly #held = new Map<string, Held>();

  constructor(lanes: LaneRoundRobin) {
    this.#lanes = lanes;
  }

  untilOf({ key, dueAt }: WorkItem): Instant | undefined {
    const held = this.#held.get(key);
    return held?.dueAt === dueAt ? held.until : undefined;
  }

  hold(item: WorkItem, until: Instant): void {
    this.release(item.key);
    const lane = this.#lanes.of(item.lane);
    lane.held += 1;
    lane.listedDone += 1;
    this.#held.set(item.key, { lane, dueAt: item.dueAt, until, isListed: true });
  }

  /** Ends the hold earlier, because the item's event is projected. A newer hold with another time is not changed. */
  folded({ key, dueAt }: WorkItem, until: Instant): void {
    const held = this.#held.get(key);
    if (held?.dueAt !== dueAt) return;
    if (until < held.until) held.until = until;
    unlist(held);
  }

  release(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    held.lane.held -= 1;
    unlist(held);
    this.#lanes.forgetIfDone(held.lane);
  }

  releaseOver(now: Instant): void {
    for (const [key, { until }] of this.#held) if (until <= now) this.release(key);
  }

  releaseAll(): void {
    for (const key of [...this.#held.keys()]) this.release(key);
  }
}

const unlist = (held: Held): void => {
  const { lane } = held;
  if (held.isListed) lane.listedDone -= 1;
  held.isListed = false;
  lane.listedDone = Math.max(0, Math.min(lane.listedDone, lane.held));
};

interface DueWorkReaderSettings {
  readonly work: OpenWork;
  readonly clock: Clock;
  readonly lanes: LaneRoundRobin;
  readonly running: RunningItems;
  readonly held: RecentlyFinishedItems;
  readonly onRead: () => void;
  readonly lookAt: (at: Instant) => void;
}

/** Polling interval, which limits the delay after a lost wake-up. */
export const IDLE_LOOK_MS = 5_000;
const READ_LANES_MAX = 256;
const READ_ITEMS_MAX = 1_024;
const READ_OF_LANE_MAX = 128;
const READ_OF_LANE_MIN = 4;
/** Items listed before those to start are read too, up to this many. */
const READ_OF_LANE_WITH_LISTED_MAX = 8_192;

/** Reads due work into the lanes: first the lanes with due work, page by page, then the items of lanes that have room. */
export class DueWorkReader {
  readonly #settings: DueWorkReaderSettings;
  #after: DueLane | undefined;
  #mustFind = false;

  constructor(settings: DueWorkReaderSettings) {
    this.#settings = settings;
  }

  findAgain(): void {
    this.#mustFind = true;
  }

  get mayReadOn(): boolean {
    return this.#settings.lanes.unread.size > 0 || this.#mayFindLanes();
  }

  readOn(): Promise<void> {
    return this.#settings.lanes.unread.size > 0 ? this.#readLanes() : this.#findLanes();
  }

  #mayFindLanes(): boolean {
    return (this.#mustFind || this.#after !== undefined) && !this.#settings.lanes.isFull;
  }

  async #findLanes(): Promise<void> {
    const { work, clock, lanes, held, lookAt, onRead } = this.#settings;
    const now = clock.now();
    held.releaseOver(now);
    if (this.#after === undefined) this.#mustFind = false;
    const { lanes: page, nextDueAt } = await work.dueLanes(now, LANES_MAX, this.#after);
    this.#after = page.length < LANES_MAX ? undefined : page.at(-1);
    for (const { lane } of page) lanes.found(lane);
    onRead();
    lookAt(addMs(now, IDLE_LOOK_MS));
    if (nextDueAt !== undefined) lookAt(nextDueAt);
  }

  async #readLanes(): Promise<void> {
    const { work, clock, lanes, onRead } = this.#settings;
    const now = clock.now();
    const reading = [...lanes.unread].slice(0, READ_LANES_MAX);
    const ahead = Math.min(Math.max(Math.floor(READ_ITEMS_MAX / reading.length), READ_OF_LANE_MIN), READ_OF_LANE_MAX);
    const resting: string[] = [];
    for (const [limit, together] of byLimit(reading, ahead)) {
      const names = together.map(({ name }) => name);
      const items = new Map(names.map((name): [string, WorkItem[]] => [name, []]));
      for (const item of await work.firstOf(names, limit)) items.get(item.lane)?.push(item);
      for (const lane of together) {
        if (!lanes.unread.has(lane)) continue;
        const first = items.get(lane.name) ?? [];
        this.#takeRead(lane, first, limit, now);
        if ((first[0]?.dueAt ?? Infinity) > now) resting.push(lane.name);
      }
    }
    onRead();
    if (resting.length > 0) await work.rest(resting);
  }

  #takeRead(lane: Lane, items: readonly WorkItem[], limit: number, now: Instant): void {
    const { lanes, running, held, lookAt } = this.#settings;
    const due = items.filter(({ dueAt }) => dueAt <= now);
    const next = items[due.length];
    if (next !== undefined) lookAt(next.dueAt);
    const ready: WorkItem[] = [];
    lane.listedDone = 0;
    for (const item of due) {
      const heldUntil = held.untilOf(item);
      if (heldUntil !== undefined) {
        lane.listedDone += 1;
        // An earlier timer replaces the one at the end of a hold, so a held item needs its own timer.
        lookAt(heldUntil);
      } else if (!running.has(item.key)) ready.push(item);
    }
    const isWhole = due.length < limit || limit >= READ_OF_LANE_WITH_LISTED_MAX;
    lane.readAgain(ready, !isWhole);
    lanes.wasRead(lane);
  }
}

const byLimit = (lanes: readonly Lane[], ahead: number): ReadonlyMap<number, readonly Lane[]> => {
  const groups = new Map<number, Lane[]>();
  for (const lane of lanes) {
    const limit = Math.min(2 ** Math.ceil(Math.log2(ahead + lane.listedBefore)), READ_OF_LANE_WITH_LISTED_MAX);
    const group = groups.get(limit);
    if (group === undefined) groups.set(limit, [lane]);
    else group.push(lane);
  }
  return groups;
};
