import { type Instant, addMs, type Clock } from '@app/kernel';
import type { WorkItem, DueLane, OpenWork } from './open-work';
import { type Lane, type LaneTurns, LANES_MAX } from './lane-turns';
import type { RunningItems } from './running-items';

interface Held {
  readonly lane: Lane;
  readonly dueAt: Instant;
  until: Instant;
  /** Whether the memory is taken to list it still. */
  isListed: boolean;
}

/** Items that finished or failed and that the memory may still list unchanged. One that it lists with another time is new work, and is not held. */
export class HeldItems {
  readonly #lanes: LaneTurns;
  readonly #held = new Map<string, Held>();

  constructor(lanes: LaneTurns) {
    this.#lanes = lanes;
  }

  /** When the hold of this item ends; undefined where it is not held. */
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

  /** The memory has folded what this item stored, unless it was held anew since with another time: the hold ends earlier. */
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

/** A read of the lane counts those that the memory lists all the same. */
const unlist = (held: Held): void => {
  const { lane } = held;
  if (held.isListed) lane.listedDone -= 1;
  held.isListed = false;
  // A read may have counted fewer since.
  lane.listedDone = Math.max(0, Math.min(lane.listedDone, lane.held));
};

interface DueWorkReaderSettings {
  readonly work: OpenWork;
  readonly clock: Clock;
  readonly lanes: LaneTurns;
  readonly running: RunningItems;
  readonly held: HeldItems;
  /** Called after each read of the memory, with its lanes queued and before any further wait. */
  readonly onRead: () => void;
  /** Asks for another read at this time. */
  readonly lookAt: (at: Instant) => void;
}

/** The memory is read this often even without a wake-up, so that a lost wake-up delays work by no more. */
export const IDLE_LOOK_MS = 5_000;
/** Maximum of lanes whose items one query reads. */
const READ_LANES_MAX = 256;
/** Maximum of items that one query reads ahead over all its lanes; then the range for each lane. */
const READ_ITEMS_MAX = 1_024;
const READ_OF_LANE_MAX = 128;
const READ_OF_LANE_MIN = 4;
/** Items that the memory lists before those to begin are read with them, up to this many. */
const READ_OF_LANE_WITH_LISTED_MAX = 8_192;

/** Reads due work of the memory into the lanes: first which lanes have some, page by page, then the items of those lanes that have room. */
export class DueWorkReader {
  readonly #settings: DueWorkReaderSettings;
  /** The last lane of the page read; undefined at the start of a round. */
  #after: DueLane | undefined;
  #mustFind = false;

  constructor(settings: DueWorkReaderSettings) {
    this.#settings = settings;
  }

  /** Asks for a whole round over the lanes with due work, after the one under way if there is one. */
  findAnew(): void {
    this.#mustFind = true;
  }

  get mayReadOn(): boolean {
    return this.#settings.lanes.unread.size > 0 || this.#mayFindLanes();
  }

  readOn(): Promise<void> {
    return this.#settings.lanes.unread.size > 0 ? this.#readLanes() : this.#findLanes();
  }

  /** Whether a page may hold more lanes and few enough are waiting; lanes dropped meanwhile are found again in a later round. */
  #mayFindLanes(): boolean {
    return (this.#mustFind || this.#after !== undefined) && !this.#settings.lanes.isFull;
  }

  /** Reads the next page of lanes with due work. A wake-up during a round causes another whole round. */
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

  /** Reads the items of lanes that have room. */
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
        // The lane was dropped while it was read.
        if (!lanes.unread.has(lane)) continue;
        const first = items.get(lane.name) ?? [];
        this.#takeRead(lane, first, limit, now);
        if ((first[0]?.dueAt ?? Infinity) > now) resting.push(lane.name);
      }
    }
    onRead();
    if (resting.length > 0) await work.rest(resting);
  }

  /** Queues the lane with what was read of it. @param items the lane's first, in order of age */
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
        // An earlier timer replaces the one at the end of a hold, so an item that is still held needs a timer of its own.
        lookAt(heldUntil);
      } else if (!running.has(item.key)) ready.push(item);
    }
    const isWhole = due.length < limit || limit >= READ_OF_LANE_WITH_LISTED_MAX;
    lane.readAnew(ready, !isWhole);
    lanes.wasRead(lane);
  }
}

/** Groups lanes by the number of items to read, which includes those listed before the ones that may begin. */
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
