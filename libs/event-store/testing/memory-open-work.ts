import type { Instant } from '@app/kernel';
import type { DueLane, DueLanes, LaneFrom, OpenWork, WorkChange, WorkItem, WorkListing, WorkPlace } from '../work/open-work';

const NEVER = Number.MAX_SAFE_INTEGER as Instant;

const byAge = (a: WorkPlace, b: WorkPlace): number => a.dueAt - b.dueAt || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

const placeOf = (ordered: readonly WorkItem[], item: WorkPlace): number => {
  let from = 0;
  for (let to = ordered.length; from < to;) {
    const middle = (from + to) >>> 1;
    const at = ordered[middle];
    if (at !== undefined && byAge(at, item) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
};

export class MemoryOpenWork implements OpenWork {
  readonly #items = new Map<string, WorkItem>();
  /** Sorted by age per lane: a simulated lane has 10,000 items, and each read needs only the oldest. */
  readonly #byLane = new Map<string, WorkItem[]>();
  readonly #since = new Map<string, Instant>();
  returnedCount = 0;
  queryCount = 0;
  isAway = false;

  get items(): ReadonlyMap<string, WorkItem> {
    return this.#items;
  }

  get size(): number {
    return this.#items.size;
  }

  apply(changes: readonly WorkChange[]): void {
    for (const change of changes) {
      if (change.kind === 'due') this.#put(change.item);
      else this.remove(change.key);
    }
  }

  add(...items: readonly WorkItem[]): void {
    for (const item of items) this.#put(item);
  }

  remove(key: string): void {
    const item = this.#items.get(key);
    if (item === undefined) return;
    this.#items.delete(key);
    const lane = this.#byLane.get(item.lane) ?? [];
    lane.splice(placeOf(lane, item), 1);
    if (lane.length === 0) this.#byLane.delete(item.lane);
  }

  async dueLanes(now: Instant, limit: number, after?: DueLane): Promise<DueLanes> {
    this.#countQuery();
    const lanes = [...this.#since].map(([lane, since]): DueLane => ({ lane, since })).sort(inTurn);
    const due = lanes.filter((lane) => lane.since <= now && (after === undefined || inTurn(lane, after) > 0)).slice(0, limit);
    this.returnedCount += due.length;
    const next = lanes.find(({ since }) => since > now && since < NEVER);
    return { lanes: due, nextDueAt: next?.since };
  }

  async firstOf(lanes: readonly LaneFrom[], limit: number): Promise<readonly WorkItem[]> {
    this.#countQuery();
    const first = lanes.flatMap(({ lane, after }) => {
      const items = this.#byLane.get(lane) ?? [];
      const from = after === undefined ? 0 : placeOf(items, { ...after, key: `${after.key}\0` });
      return items.slice(from, from + limit);
    });
    this.returnedCount += first.length;
    return first;
  }

  async rest(lanes: readonly string[]): Promise<void> {
    for (const lane of lanes) this.#since.set(lane, this.#byLane.get(lane)?.[0]?.dueAt ?? NEVER);
  }

  async list({ limit, after = '', tasks }: WorkListing): Promise<readonly WorkItem[]> {
    const wanted = [...this.#items.values()].filter(({ key, task }) => key > after && (tasks === undefined || tasks.includes(task)));
    return wanted.sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit);
  }

  async postpone({ key, dueAt: readDueAt }: WorkPlace, dueAt: Instant): Promise<void> {
    if (this.isAway) throw new Error('away');
    const item = this.#items.get(key);
    if (item?.dueAt === readDueAt) this.#put({ ...item, dueAt });
  }

  #put(item: WorkItem): void {
    this.remove(item.key);
    this.#items.set(item.key, item);
    const lane = this.#byLane.get(item.lane) ?? [];
    lane.splice(placeOf(lane, item), 0, item);
    this.#byLane.set(item.lane, lane);
    const since = this.#since.get(item.lane);
    if (since === undefined || item.dueAt < since) this.#since.set(item.lane, item.dueAt);
  }

  #countQuery(): void {
    this.queryCount += 1;
    if (this.isAway) throw new Error('away');
  }
}

const inTurn = (a: DueLane, b: DueLane): number => a.since - b.since || (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : 0);
