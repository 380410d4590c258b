import { addMs, type Clock, type Instant, type Scheduled, type Scheduler } from '@app/kernel';
import { backOffMs } from '../back-off';
import { Lane } from './lane';
import type { DueLane, OpenWork, WorkItem } from './open-work';
import type { StreamName } from '../../core/port';

export interface ReactorRunnerSettings {
  readonly work: OpenWork;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Does one item by appending an event, which the memory folds. It runs again after an error or a restart, so it must check the stream before it acts. */
  readonly run: (item: WorkItem) => Promise<void>;
  /** Reports a failure of one item, which is retried, or of the memory itself, without an item. */
  readonly onError: (error: Error, item: WorkItem | undefined) => void;
  /** Half is shared by all lanes; the other half is reserved for lanes without running items, one item each. */
  readonly inFlightMax?: number;
  readonly inFlightPerLaneMax?: number;
  /** Count of a lane's items that run elsewhere. They take room of the lane, and a full lane is not read; whoever frees room wakes the runner. */
  readonly busyElsewhere?: (lane: string) => number;
}

const IN_FLIGHT_MAX = 512;
const IN_FLIGHT_PER_LANE_MAX = 16;
const BACK_OFF_MIN_MS = 200;
const BACK_OFF_MAX_MS = 60_000;
/** A finished item stays in the memory until its event is folded; an item still listed after this time counts as not done and is repeated. */
const FOLD_GRACE_MS = 1_000;
/** Another process takes over the shared work of a process that died after this time. */
const CLAIM_MS = 15_000;
/** Maximum of items with a failure count; beyond it the oldest count is dropped, never the item. */
const FAILURES_MAX = 10_000;
/** The memory is read this often even without a wake-up, so that a lost wake-up delays work by no more. */
const IDLE_LOOK_MS = 5_000;
/** Lanes of one page, and of those that wait for room. No page is read while so many wait, so that there are never twice as many. */
const LANES_MAX = 1_024;
/** Maximum of lanes whose items one query reads. */
const READ_LANES_MAX = 256;
/** Maximum of items that one query reads ahead over all its lanes; then the range for each lane. */
const READ_ITEMS_MAX = 1_024;
const READ_OF_LANE_MAX = 128;
const READ_OF_LANE_MIN = 4;
/** Items that the memory lists before those to begin are read with them, up to this many. */
const READ_OF_LANE_WITH_LISTED_MAX = 8_192;

interface Held {
  readonly lane: Lane;
  readonly dueAt: Instant;
  readonly until: Instant;
}

/**
 * Runs due items of a reactor's memory in a bounded pool: one of a stream at a time and in order, few of a lane, none twice at once, none lost
 * (architecture, rule 9). A lane may run no more items than there is room left for others, so that each lane's share shrinks as more are busy, and a lane
 * without running items finds room even while all others hang. Where there are more lanes than room they take turns. Due items are read lane by lane,
 * and not for a full lane. The runner holds no state of its own: after a restart the memory lists the same work.
 */
export class ReactorRunner {
  readonly #settings: ReactorRunnerSettings;
  readonly #inFlightMax: number;
  readonly #inFlightSharedMax: number;
  readonly #inFlightPerLaneMax: number;
  readonly #inFlight = new Map<string, WorkItem>();
  readonly #streams = new Set<StreamName>();
  readonly #lanes = new Map<string, Lane>();
  readonly #failures = new Map<string, number>();
  /** Items that finished a moment ago and that the memory still lists unchanged. */
  readonly #held = new Map<string, Held>();
  /** Lanes with work to begin, those without running items and those with some, each in the order of their turns. */
  readonly #idle = new Set<Lane>();
  readonly #busy = new Set<Lane>();
  /** Lanes with room whose items must be read first; they keep their turn meanwhile. */
  readonly #unread = new Set<Lane>();
  /** Lanes whose every ready item waits for its stream. */
  readonly #blocked = new Set<Lane>();
  /** The last lane of the page read; undefined at the start of a round. */
  #after: DueLane | undefined;
  #mode: 'idle' | 'running' | 'draining' | 'stopped' = 'idle';
  #isLooking = false;
  #mustLook = false;
  #timer: Scheduled | undefined;
  #timerAt: Instant | undefined;
  #memoryFailures = 0;
  #onQuiet: (() => void)[] = [];

  constructor(settings: ReactorRunnerSettings) {
    this.#settings = settings;
    this.#inFlightMax = settings.inFlightMax ?? IN_FLIGHT_MAX;
    this.#inFlightSharedMax = Math.ceil(this.#inFlightMax / 2);
    this.#inFlightPerLaneMax = settings.inFlightPerLaneMax ?? IN_FLIGHT_PER_LANE_MAX;
  }

  start(): void {
    if (this.#mode === 'idle') this.#mode = 'running';
    this.wake();
  }

  /** Call it when the memory has changed (`onBatch` of its subscription). */
  wake(): void {
    this.#mustLook = true;
    if (this.#mode === 'running' && !this.#isLooking) void this.#look();
  }

  /** Reads all held items again, because the end of a hold is unknown once the wall clock was set. */
  clockWasSet(): void {
    for (const key of [...this.#held.keys()]) this.#release(key);
    this.wake();
  }

  /** Count of running items. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  get inFlightMax(): number {
    return this.#inFlightMax;
  }

  /** Begins nothing new and waits for the running items; false where they took longer. */
  async drain(timeoutMs: number): Promise<boolean> {
    if (this.#mode !== 'stopped') this.#mode = 'draining';
    this.#timer?.cancel();
    if (this.#inFlight.size === 0) return true;
    let timer: Scheduled | undefined;
    const timedOut = new Promise<boolean>((resolve) => {
      timer = this.#settings.scheduler.after(timeoutMs, () => resolve(false));
    });
    const quiet = new Promise<boolean>((resolve) => this.#onQuiet.push(() => resolve(true)));
    const isQuiet = await Promise.race([quiet, timedOut]);
    timer?.cancel();
    return isQuiet;
  }

  /** Begins nothing new and does not wait: the next process finds the running items again. */
  stop(): void {
    this.#mode = 'stopped';
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const { clock, onError } = this.#settings;
    this.#isLooking = true;
    try {
      while (this.#mode === 'running') {
        if (this.#unread.size > 0) await this.#readLanes();
        else if (this.#mayFindLanes()) await this.#findLanes();
        else break;
        this.#memoryFailures = 0;
      }
    } catch (error) {
      // A stopped runner's memory may already be closed, so its errors mean nothing.
      if (this.#mode === 'stopped') return;
      this.#mustLook = true;
      this.#memoryFailures += 1;
      this.#lookAt(addMs(clock.now(), backOffMs(this.#memoryFailures, BACK_OFF_MIN_MS, IDLE_LOOK_MS)));
      onError(error instanceof Error ? error : new Error(String(error)), undefined);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Whether a page may hold more lanes and few enough are waiting; lanes dropped meanwhile are found again in a later round. */
  #mayFindLanes(): boolean {
    return (this.#mustLook || this.#after !== undefined) && this.#idle.size < LANES_MAX;
  }

  /** Reads the next page of lanes with due work. A wake-up during a round causes another whole round. */
  async #findLanes(): Promise<void> {
    const { work, clock } = this.#settings;
    const now = clock.now();
    for (const [key, { until }] of this.#held) if (until <= now) this.#release(key);
    if (this.#after === undefined) this.#mustLook = false;
    const { lanes, nextDueAt } = await work.dueLanes(now, LANES_MAX, this.#after);
    this.#after = lanes.length < LANES_MAX ? undefined : lanes.at(-1);
    for (const { lane: name } of lanes) {
      const lane = this.#laneOf(name);
      lane.mayHaveMore = true;
      this.#enqueue(lane, true);
    }
    this.#beginReady();
    this.#lookAt(addMs(now, IDLE_LOOK_MS));
    if (nextDueAt !== undefined) this.#lookAt(nextDueAt);
  }

  /** Reads the items of lanes that have room. */
  async #readLanes(): Promise<void> {
    const { work, clock } = this.#settings;
    const now = clock.now();
    const lanes = [...this.#unread].slice(0, READ_LANES_MAX);
    const ahead = Math.min(Math.max(Math.floor(READ_ITEMS_MAX / lanes.length), READ_OF_LANE_MIN), READ_OF_LANE_MAX);
    const resting: string[] = [];
    for (const [limit, together] of byLimit(lanes, ahead)) {
      const names = together.map(({ name }) => name);
      const items = new Map(names.map((name): [string, WorkItem[]] => [name, []]));
      for (const item of await work.firstOf(names, limit)) items.get(item.lane)?.push(item);
      for (const lane of together) {
        // The lane was dropped while it was read.
        if (!this.#unread.has(lane)) continue;
        const first = items.get(lane.name) ?? [];
        this.#takeRead(lane, first, limit, now);
        if ((first[0]?.dueAt ?? Infinity) > now) resting.push(lane.name);
      }
    }
    this.#beginReady();
    if (resting.length > 0) await work.rest(resting);
  }

  /** Queues the lane with what was read of it. @param items the lane's first, in order of age */
  #takeRead(lane: Lane, items: readonly WorkItem[], limit: number, now: Instant): void {
    const due = items.filter(({ dueAt }) => dueAt <= now);
    const next = items[due.length];
    if (next !== undefined) this.#lookAt(next.dueAt);
    // An earlier timer replaces the one at the end of a hold, so an item that is still held needs a timer of its own.
    for (const { key, dueAt } of due) {
      const held = this.#held.get(key);
      if (held?.dueAt === dueAt) this.#lookAt(held.until);
    }
    const isWhole = due.length < limit || limit >= READ_OF_LANE_WITH_LISTED_MAX;
    const ready = due.filter((item) => !this.#isTaken(item));
    lane.readAnew(ready, !isWhole);
    this.#unread.delete(lane);
    this.#enqueue(lane);
  }

  /** Schedules a read of the memory unless an earlier one is scheduled. */
  #lookAt(at: Instant): void {
    const { clock, scheduler } = this.#settings;
    if (this.#mode !== 'running' || (this.#timerAt !== undefined && this.#timerAt <= at)) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = scheduler.after(Math.max(at - clock.now(), 1), () => {
      this.#timer = undefined;
      this.#timerAt = undefined;
      this.wake();
    });
  }

  /** Begins ready items while there is room: one of each lane in turn, lanes without running items first. */
  #beginReady(): void {
    if (this.#mode !== 'running') return;
    const begun: WorkItem[] = [];
    for (const lane of this.#idle) {
      if (this.#inFlight.size >= this.#inFlightMax) break;
      if (this.#isFull(lane)) this.#dropLane(lane);
      else this.#beginNextOf(lane, begun);
    }
    for (const lane of this.#busy) {
      // Such a lane already runs one item, which counts against its share.
      if (this.#inFlight.size + 1 >= this.#inFlightSharedMax) break;
      if (this.#hasRoom(lane)) this.#beginNextOf(lane, begun);
    }
    if (this.#settings.work.claim !== undefined && begun.length > 0) void this.#doClaimed(begun);
    else for (const item of begun) void this.#do(item).finally(() => this.#end(item));
  }

  #beginNextOf(lane: Lane, begun: WorkItem[]): void {
    const item = lane.next(
      (item) => this.#isTaken(item),
      ({ stream }) => !this.#streams.has(stream),
    );
    if (item !== undefined) {
      this.#begin(lane, item);
      begun.push(item);
      // The lane moves to the end of its queue, which the calling loop will still reach.
      this.#dequeue(lane);
      this.#enqueue(lane);
    } else if (lane.mayHaveMore) this.#unread.add(lane);
    else {
      this.#dequeue(lane);
      if (lane.hasWork) this.#blocked.add(lane);
      else this.#forgetIfDone(lane);
    }
  }

  #laneOf(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = new Lane(name);
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  /** A lane that is queued keeps its turn. Where very many lanes wait, one that had its turn is dropped in favour of lanes that are not yet known. */
  #enqueue(lane: Lane, isFound = false): void {
    this.#blocked.delete(lane);
    if (!lane.hasWork) {
      this.#dequeue(lane);
      this.#forgetIfDone(lane);
    } else if (lane.inFlight === 0) {
      this.#busy.delete(lane);
      if (this.#idle.size < LANES_MAX || isFound || this.#idle.has(lane)) this.#idle.add(lane);
      else this.#deferLane(lane);
    } else {
      this.#idle.delete(lane);
      this.#busy.add(lane);
    }
  }

  #deferLane(lane: Lane): void {
    this.#mustLook = true;
    this.#dropLane(lane);
  }

  /** Forgets the lane until a later round finds it again. */
  #dropLane(lane: Lane): void {
    lane.readAnew([], false);
    this.#dequeue(lane);
    this.#forgetIfDone(lane);
  }

  #dequeue(lane: Lane): void {
    this.#idle.delete(lane);
    this.#busy.delete(lane);
    this.#unread.delete(lane);
  }

  #forgetIfDone(lane: Lane): void {
    if (lane.isEmpty) this.#lanes.delete(lane.name);
  }

  #isTaken(item: WorkItem): boolean {
    return this.#inFlight.has(item.key) || this.#held.get(item.key)?.dueAt === item.dueAt;
  }

  #isFull({ name, inFlight }: Lane): boolean {
    return inFlight + (this.#settings.busyElsewhere?.(name) ?? 0) >= this.#inFlightPerLaneMax;
  }

  #hasRoom(lane: Lane): boolean {
    const { inFlight } = lane;
    if (inFlight === 0) return this.#inFlight.size < this.#inFlightMax;
    if (this.#isFull(lane)) return false;
    return inFlight < Math.min(this.#inFlightPerLaneMax, this.#inFlightSharedMax - this.#inFlight.size);
  }

  #begin(lane: Lane, item: WorkItem): void {
    this.#inFlight.set(item.key, item);
    this.#streams.add(item.stream);
    lane.inFlight += 1;
    this.#release(item.key);
  }

  /** Runs the items that this process could claim and leaves the others to the process that has them. */
  async #doClaimed(items: readonly WorkItem[]): Promise<void> {
    const { work, clock, onError } = this.#settings;
    const until = addMs(clock.now(), CLAIM_MS);
    let claimed: ReadonlySet<string> = new Set();
    let hasAnswered = false;
    try {
      claimed = (await work.claim?.(items, until)) ?? claimed;
      hasAnswered = true;
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)), undefined);
    }
    for (const item of items) {
      if (claimed.has(item.key)) {
        // The claim moved the due time in the memory, and a later postponement must match it.
        void this.#do({ ...item, dueAt: until }).finally(() => this.#end(item));
        continue;
      }
      // The process that took this item usually took the whole read; a memory that is unavailable is read again when the hold ends.
      this.#laneOf(item.lane).readAnew([], hasAnswered);
      this.#hold(item, addMs(clock.now(), FOLD_GRACE_MS));
      this.#end(item);
    }
  }

  async #do(item: WorkItem): Promise<void> {
    const { run, clock, onError } = this.#settings;
    try {
      await run(item);
      this.#failures.delete(item.key);
      this.#hold(item, addMs(clock.now(), FOLD_GRACE_MS));
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)), item);
      await this.#postpone(item);
    }
  }

  async #postpone(item: WorkItem): Promise<void> {
    const { work, clock, onError } = this.#settings;
    const failures = (this.#failures.get(item.key) ?? 0) + 1;
    this.#failures.delete(item.key);
    this.#failures.set(item.key, failures);
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= FAILURES_MAX) break;
      this.#failures.delete(oldest);
    }
    const until = addMs(clock.now(), backOffMs(failures, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
    this.#hold(item, until);
    try {
      // Postponed in the memory too, so that many failing items do not fill every page of due work.
      await work.postpone(item, until);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)), item);
    }
  }

  #end(item: WorkItem): void {
    this.#inFlight.delete(item.key);
    this.#streams.delete(item.stream);
    for (const blocked of this.#blocked) if (blocked.awaits(item.stream)) this.#enqueue(blocked);
    const lane = this.#laneOf(item.lane);
    lane.inFlight -= 1;
    if (!this.#blocked.has(lane)) this.#enqueue(lane);
    if (this.#inFlight.size === 0) for (const resolve of this.#onQuiet.splice(0)) resolve();
    if (this.#mode !== 'running') return;
    this.#beginReady();
    if (!this.#isLooking && (this.#unread.size > 0 || this.#mayFindLanes())) void this.#look();
  }

  #hold(item: WorkItem, until: Instant): void {
    this.#release(item.key);
    const lane = this.#laneOf(item.lane);
    lane.held += 1;
    this.#held.set(item.key, { lane, dueAt: item.dueAt, until });
    this.#lookAt(until);
  }

  #release(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    held.lane.held -= 1;
    this.#forgetIfDone(held.lane);
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
