import type { Instant } from '@app/kernel';
import type { DueLane, DueLanes, OpenWork, WorkChange, WorkItem, WorkListing } from '../runners/reactors/open-work';

/** A time later than every due time. */
const NEVER = Number.MAX_SAFE_INTEGER as Instant;

const byAge = (a: WorkItem, b: WorkItem): number => a.dueAt - b.dueAt || (a.key < b.key ? -1 : 1);

/** Keeps the oldest of the items in order, because a simulated lane of 10,000 is not sorted for every look at its beginning. */
const insertByAge = (oldest: WorkItem[] | undefined, item: WorkItem, limit: number): void => {
  const last = oldest?.at(-1);
  if (oldest === undefined || (oldest.length >= limit && last !== undefined && byAge(last, item) < 0)) return;
  let place = oldest.length;
  for (let before = oldest[place - 1]; before !== undefined && byAge(before, item) > 0; before = oldest[place - 1]) place -= 1;
  oldest.splice(place, 0, item);
  if (oldest.length > limit) oldest.pop();
};

/** A reactor's memory without a database, for tests; it counts what it returned. */
export class MemoryOpenWork implements OpenWork {
  readonly items = new Map<string, WorkItem>();
  readonly #since = new Map<string, Instant>();
  /** Count of items and lanes that it returned. */
  returnedCount = 0;
  /** Count of queries. */
  queryCount = 0;
  isAway = false;

  get size(): number {
    return this.items.size;
  }

  apply(changes: readonly WorkChange[]): void {
    for (const change of changes) {
      if (change.kind === 'due') this.#put(change.item);
      else this.items.delete(change.key);
    }
  }

  add(...items: readonly WorkItem[]): void {
    for (const item of items) this.#put(item);
  }

  async dueLanes(now: Instant, limit: number, after?: DueLane): Promise<DueLanes> {
    this.#countQuery();
    const lanes = [...this.#since].map(([lane, since]): DueLane => ({ lane, since })).sort(inTurn);
    const due = lanes.filter((lane) => lane.since <= now && (after === undefined || inTurn(lane, after) > 0)).slice(0, limit);
    this.returnedCount += due.length;
    const next = lanes.find(({ since }) => since > now && since < NEVER);
    return { lanes: due, nextDueAt: next?.since };
  }

  async firstOf(lanes: readonly string[], limit: number): Promise<readonly WorkItem[]> {
    this.#countQuery();
    const asked = new Map(lanes.map((lane): [string, WorkItem[]] => [lane, []]));
    for (const item of this.items.values()) insertByAge(asked.get(item.lane), item, limit);
    const first = [...asked.values()].flat();
    this.returnedCount += first.length;
    return first;
  }

  async rest(lanes: readonly string[]): Promise<void> {
    const resting = new Map(lanes.map((lane) => [lane, NEVER]));
    for (const { lane, dueAt } of this.items.values()) {
      const earliest = resting.get(lane);
      if (earliest !== undefined && dueAt < earliest) resting.set(lane, dueAt);
    }
    for (const [lane, since] of resting) this.#since.set(lane, since);
  }

  async list({ limit, after = '', tasks }: WorkListing): Promise<readonly WorkItem[]> {
    const wanted = [...this.items.values()].filter(({ key, task }) => key > after && (tasks === undefined || tasks.includes(task)));
    return wanted.sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit);
  }

  async postpone({ key, dueAt: readDueAt }: Pick<WorkItem, 'key' | 'dueAt'>, dueAt: Instant): Promise<void> {
    if (this.isAway) throw new Error('away');
    const item = this.items.get(key);
    if (item?.dueAt === readDueAt) this.#put({ ...item, dueAt });
  }

  #put(item: WorkItem): void {
    this.items.set(item.key, item);
    const since = this.#since.get(item.lane);
    if (since === undefined || item.dueAt < since) this.#since.set(item.lane, item.dueAt);
  }

  #countQuery(): void {
    this.queryCount += 1;
    if (this.isAway) throw new Error('away');
  }
}

const inTurn = (a: DueLane, b: DueLane): number => a.since - b.since || (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : 0);
