import { addMs, type Clock, type Instant, type Scheduled, type Scheduler } from '@app/kernel';
import { backOffMs } from '../back-off';
import { Lane } from './lane';
import type { DueLane, OpenWork, WorkItem } from './open-work';
import type { StreamName } from '../../core/port';

export interface ReactorRunnerSettings {
  readonly work: OpenWork;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Does one item; what it changes is an event, which the memory folds. Called again after it threw, and after a restart: it looks before it acts. */
  readonly run: (item: WorkItem) => Promise<void>;
  /** A failure of one item (which comes again), or of the memory itself (then without an item). */
  readonly onError: (error: Error, item: WorkItem | undefined) => void;
  /** Half of it is shared by all; the other half is for lanes that have nothing under way, one item each. */
  readonly inFlightMax?: number;
  readonly inFlightPerLaneMax?: number;
  /** How many of a lane something else has under way: they take its room, and where they take all of it nothing is read of it. Who has room again wakes the runner. */
  readonly takenIn?: (lane: string) => number;
}

const IN_FLIGHT_MAX = 512;
const IN_FLIGHT_PER_LANE_MAX = 16;
const BACK_OFF_MIN_MS = 200;
const BACK_OFF_MAX_MS = 60_000;
/** An item that was done stays in the memory until its event is folded; after so long it counts as not done and comes again. */
const SETTLE_MS = 1_000;
/** Of work that several processes share: what a process that died had taken is taken up by another one after so long. */
const CLAIM_MS = 15_000;
/** Failures that are counted; beyond it the oldest count is forgotten, never the item. */
const FAILURES_MAX = 10_000;
/** Without any word the memory is looked at so often: a wake-up that was lost costs this long, no more. */
const IDLE_LOOK_MS = 5_000;
/** Lanes of one page, and lanes that wait for room: as long as there are so many, no more are asked for, and twice as many there never are. */
const LANES_MAX = 1_024;
/** Lanes whose items are read together. */
const READ_LANES_MAX = 256;
/** Items that are read ahead, of all lanes of one question, and of each of them. */
const READ_ITEMS_MAX = 1_024;
const READ_OF_LANE_MAX = 128;
const READ_OF_LANE_MIN = 4;
/** What stands before them in the memory comes with them, up to here. */
const READ_OF_LANE_WITH_STANDING_MAX = 8_192;

interface Held {
  readonly lane: Lane;
  readonly dueAt: Instant;
  readonly until: Instant;
}

/**
 * Takes due items out of a reactor's memory into a bounded pool: one of a stream at a time and in order, few of a lane, none twice at once,
 * none lost (architecture, rule 9). A lane has no more under way than is free for others: the busier they are, the less each may take,
 * and one that has nothing under way finds room though all others are silent. Where there are more lanes than room they take turns. What is due is
 * read lane by lane, and of no lane that is full. It keeps no truth: after a restart the memory says the same again.
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
  /** Done or failed a moment ago, and still in the memory as it was. */
  readonly #held = new Map<string, Held>();
  /** Lanes that want something and have nothing under way, and those that have: each in the order of their turns. */
  readonly #idle = new Set<Lane>();
  readonly #busy = new Set<Lane>();
  /** Lanes with room of which nothing more is known: they keep their turn while they are read. */
  readonly #unread = new Set<Lane>();
  /** Lanes that want only what waits for a stream. */
  readonly #blocked = new Set<Lane>();
  /** Where the look at the due lanes goes on; undefined where it has seen them all. */
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

  /** The memory has changed: `onBatch` of its subscription. */
  wake(): void {
    this.#mustLook = true;
    if (this.#mode === 'running' && !this.#isLooking) void this.#look();
  }

  /** The wall clock was set: until when something was held is no longer known, and it is looked at. */
  clockWasSet(): void {
    for (const key of [...this.#held.keys()]) this.#release(key);
    this.wake();
  }

  /** Items that are being done now. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  get inFlightMax(): number {
    return this.#inFlightMax;
  }

  /** Begins nothing new and waits for what is under way; false where that took longer. */
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

  /** Begins nothing new and waits for nothing: what is under way is found again by the next process. */
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
        else if (this.#wouldFind()) await this.#findLanes();
        else break;
        this.#memoryFailures = 0;
      }
    } catch (error) {
      // Stopped while it looked: its memory may be closed by now, and nobody waits for what it says.
      if (this.#mode === 'stopped') return;
      this.#mustLook = true;
      this.#memoryFailures += 1;
      this.#lookBy(addMs(clock.now(), backOffMs(this.#memoryFailures, BACK_OFF_MIN_MS, IDLE_LOOK_MS)));
      onError(error instanceof Error ? error : new Error(String(error)), undefined);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Not all lanes were looked at, and not too many wait: whose turn is far off is not known, and found again when the round comes to it. */
  #wouldFind(): boolean {
    return (this.#mustLook || this.#after !== undefined) && this.#idle.size < LANES_MAX;
  }

  /** The next page of the lanes in which something is due. A wake-up in the middle of a round has another whole round follow. */
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
    this.#serve();
    this.#lookBy(addMs(now, IDLE_LOOK_MS));
    if (nextDueAt !== undefined) this.#lookBy(nextDueAt);
  }

  /** Reads what is due in lanes that have room. */
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
        // Passed on meanwhile.
        if (!this.#unread.has(lane)) continue;
        const first = items.get(lane.name) ?? [];
        this.#wasRead(lane, first, limit, now);
        if ((first[0]?.dueAt ?? Infinity) > now) resting.push(lane.name);
      }
    }
    this.#serve();
    if (resting.length > 0) await work.rest(resting);
  }

  /** @param items the lane's first, in order of age */
  #wasRead(lane: Lane, items: readonly WorkItem[], limit: number, now: Instant): void {
    const due = items.filter(({ dueAt }) => dueAt <= now);
    const next = items[due.length];
    if (next !== undefined) this.#lookBy(next.dueAt);
    // The timer of a hold gives way to an earlier one, and may come a moment too soon: what still stands there held is looked at when it is free.
    for (const { key, dueAt } of due) {
      const held = this.#held.get(key);
      if (held?.dueAt === dueAt) this.#lookBy(held.until);
    }
    const isWhole = due.length < limit || limit >= READ_OF_LANE_WITH_STANDING_MAX;
    const ready = due.filter((item) => !this.#isTaken(item));
    lane.readAnew(ready, !isWhole);
    this.#unread.delete(lane);
    this.#enqueue(lane);
  }

  /** Sets the next look; an earlier one that is set stays. */
  #lookBy(at: Instant): void {
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

  /** Begins what is ready and has room: one of each lane in turn, first of those that have nothing under way. */
  #serve(): void {
    if (this.#mode !== 'running') return;
    const begun: WorkItem[] = [];
    for (const lane of this.#idle) {
      if (this.#inFlight.size >= this.#inFlightMax) break;
      if (this.#isFull(lane)) this.#leave(lane);
      else this.#beginNextOf(lane, begun);
    }
    for (const lane of this.#busy) {
      // One item under way is the least that such a lane has.
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
      // To the end of its turn, which the loop that is under way comes to as well.
      this.#dequeue(lane);
      this.#enqueue(lane);
    } else if (lane.mayHaveMore) this.#unread.add(lane);
    else {
      this.#dequeue(lane);
      if (lane.wants) this.#blocked.add(lane);
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

  /** Where it stands already it keeps its turn. One that had its turn gives way to lanes that are not known yet, where there are many. */
  #enqueue(lane: Lane, isFound = false): void {
    this.#blocked.delete(lane);
    if (!lane.wants) {
      this.#dequeue(lane);
      this.#forgetIfDone(lane);
    } else if (lane.inFlight === 0) {
      this.#busy.delete(lane);
      if (this.#idle.size < LANES_MAX || isFound || this.#idle.has(lane)) this.#idle.add(lane);
      else this.#passOn(lane);
    } else {
      this.#idle.delete(lane);
      this.#busy.add(lane);
    }
  }

  #passOn(lane: Lane): void {
    this.#mustLook = true;
    this.#leave(lane);
  }

  /** Until it is found again. */
  #leave(lane: Lane): void {
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
    if (lane.isForgotten) this.#lanes.delete(lane.name);
  }

  #isTaken(item: WorkItem): boolean {
    return this.#inFlight.has(item.key) || this.#held.get(item.key)?.dueAt === item.dueAt;
  }

  #isFull({ name, inFlight }: Lane): boolean {
    return inFlight + (this.#settings.takenIn?.(name) ?? 0) >= this.#inFlightPerLaneMax;
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

  /** What another process took meanwhile is left to it. */
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
        // As it stands in the memory from now on.
        void this.#do({ ...item, dueAt: until }).finally(() => this.#end(item));
        continue;
      }
      // Who took this one has taken what came with it, as a rule; a memory that is away is asked again when the hold ends.
      this.#laneOf(item.lane).readAnew([], hasAnswered);
      this.#hold(item, addMs(clock.now(), SETTLE_MS));
      this.#end(item);
    }
  }

  async #do(item: WorkItem): Promise<void> {
    const { run, clock, onError } = this.#settings;
    try {
      await run(item);
      this.#failures.delete(item.key);
      this.#hold(item, addMs(clock.now(), SETTLE_MS));
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
      // In the memory too, so that many that fail do not fill every look at what is due.
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
    this.#serve();
    if (!this.#isLooking && (this.#unread.size > 0 || this.#wouldFind())) void this.#look();
  }

  #hold(item: WorkItem, until: Instant): void {
    this.#release(item.key);
    const lane = this.#laneOf(item.lane);
    lane.held += 1;
    this.#held.set(item.key, { lane, dueAt: item.dueAt, until });
    this.#lookBy(until);
  }

  #release(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    held.lane.held -= 1;
    this.#forgetIfDone(held.lane);
  }
}

/** Lanes that are asked for as many items: what stands before those that may begin comes with them. */
const byLimit = (lanes: readonly Lane[], ahead: number): ReadonlyMap<number, readonly Lane[]> => {
  const groups = new Map<number, Lane[]>();
  for (const lane of lanes) {
    const limit = Math.min(2 ** Math.ceil(Math.log2(ahead + lane.standing)), READ_OF_LANE_WITH_STANDING_MAX);
    const group = groups.get(limit);
    if (group === undefined) groups.set(limit, [lane]);
    else group.push(lane);
  }
  return groups;
};
