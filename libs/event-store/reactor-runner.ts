import { addMs, type Clock, type Instant, type Scheduled, type Scheduler } from '@app/kernel';
import { backOffMs } from './back-off';
import type { OpenWork, WorkItem } from './open-work';
import type { StreamName } from './port';

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
/** Looked at in one go at most. */
const DUE_LIMIT_MAX = 5_000;
/** Without any word the memory is looked at so often: a wake-up that was lost costs this long, no more. */
const IDLE_LOOK_MS = 5_000;
const LANES_EXCEPTED_MAX = 500;

interface Held {
  readonly dueAt: Instant;
  readonly until: Instant;
}

/**
 * Takes due items out of a reactor's memory into a bounded pool: one of a stream at a time and in order, few of a lane, none twice at once,
 * none lost (architecture, rule 9). A lane has no more under way than is free for others: the busier they are, the less each may take,
 * and one that has nothing under way finds room though all others are silent. It keeps no truth: after a restart the memory says the same again.
 */
export class ReactorRunner {
  readonly #settings: ReactorRunnerSettings;
  readonly #inFlightMax: number;
  readonly #inFlightSharedMax: number;
  readonly #inFlightPerLaneMax: number;
  readonly #inFlight = new Map<string, WorkItem>();
  readonly #streams = new Set<StreamName>();
  readonly #lanes = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  /** Done or failed a moment ago, and still in the memory as it was. */
  readonly #held = new Map<string, Held>();
  /** Of the last look, in order, what could not begin yet. */
  #ready: WorkItem[] = [];
  /** The last look did not see all that is due: the page ended, or these lanes were left out. */
  #isPageFull = false;
  #leftOutLanes = new Set<string>();
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

  /** Items that are being done now. */
  get inFlight(): number {
    return this.#inFlight.size;
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
      while (this.#mode === 'running' && this.#mustLook) {
        this.#mustLook = false;
        await this.#readDue();
        this.#memoryFailures = 0;
      }
    } catch (error) {
      // Stopped while it looked: its memory may be closed by now, and nobody waits for what it says.
      if (this.#mode === 'stopped') return;
      this.#memoryFailures += 1;
      this.#lookBy(addMs(clock.now(), backOffMs(this.#memoryFailures, BACK_OFF_MIN_MS, IDLE_LOOK_MS)));
      onError(error instanceof Error ? error : new Error(String(error)), undefined);
    } finally {
      this.#isLooking = false;
    }
  }

  async #readDue(): Promise<void> {
    const { work, clock } = this.#settings;
    const now = clock.now();
    if (this.#inFlight.size >= this.#inFlightMax) {
      // The first that ends makes room, and looks.
      this.#isPageFull = true;
      return;
    }
    for (const [key, { until }] of this.#held) if (until <= now) this.#held.delete(key);
    const fullLanes = [...this.#lanes.keys()].filter((lane) => !this.#hasRoom(lane));
    this.#leftOutLanes = new Set(fullLanes.slice(0, LANES_EXCEPTED_MAX));
    // What is under way or held still stands in the memory, so it is asked for as many more.
    const limit = Math.min(this.#inFlightSharedMax + this.#inFlight.size + this.#held.size, DUE_LIMIT_MAX);
    const due = await work.due(now, limit, [...this.#leftOutLanes]);
    this.#isPageFull = due.length >= limit;
    this.#ready = due.filter((item) => !this.#isTaken(item));
    // The timer of a hold gives way to an earlier one, and may come a moment too soon: what still stands there held is looked at when it is free.
    for (const { key, dueAt } of due) {
      const held = this.#held.get(key);
      if (held?.dueAt === dueAt) this.#lookBy(held.until);
    }
    // A page full of one lane says nothing of what stands behind it: what began now may have filled that lane, and the next look leaves it out.
    if (this.#beginReady() > 0 && this.#isPageFull) this.#mustLook = true;
    this.#lookBy(addMs(now, IDLE_LOOK_MS));
    const nextDueAt = await work.nextDueAt(now);
    if (nextDueAt !== undefined) this.#lookBy(nextDueAt);
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

  /** Begins what is ready and has room, in order; says how many. */
  #beginReady(): number {
    const begun: WorkItem[] = [];
    const left: WorkItem[] = [];
    for (const item of this.#ready) {
      if (this.#mode !== 'running' || !this.#canBegin(item)) {
        left.push(item);
        continue;
      }
      this.#begin(item);
      begun.push(item);
    }
    this.#ready = left;
    if (this.#settings.work.claim !== undefined && begun.length > 0) void this.#doClaimed(begun);
    else for (const item of begun) void this.#do(item).finally(() => this.#end(item));
    return begun.length;
  }

  #isTaken(item: WorkItem): boolean {
    return this.#inFlight.has(item.key) || this.#held.get(item.key)?.dueAt === item.dueAt;
  }

  #canBegin(item: WorkItem): boolean {
    if (this.#isTaken(item) || this.#streams.has(item.stream)) return false;
    return this.#hasRoom(item.lane);
  }

  #hasRoom(lane: string): boolean {
    const count = this.#lanes.get(lane) ?? 0;
    if (count === 0) return this.#inFlight.size < this.#inFlightMax;
    return count < Math.min(this.#inFlightPerLaneMax, this.#inFlightSharedMax - this.#inFlight.size);
  }

  #begin(item: WorkItem): void {
    this.#inFlight.set(item.key, item);
    this.#streams.add(item.stream);
    this.#lanes.set(item.lane, (this.#lanes.get(item.lane) ?? 0) + 1);
    this.#held.delete(item.key);
  }

  /** What another process took meanwhile is left to it. */
  async #doClaimed(items: readonly WorkItem[]): Promise<void> {
    const { work, clock, onError } = this.#settings;
    const until = addMs(clock.now(), CLAIM_MS);
    let claimed: ReadonlySet<string> = new Set();
    try {
      claimed = (await work.claim?.(items, until)) ?? claimed;
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)), undefined);
    }
    for (const item of items) {
      if (claimed.has(item.key)) {
        // As it stands in the memory from now on.
        void this.#do({ ...item, dueAt: until }).finally(() => this.#end(item));
        continue;
      }
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
    const left = (this.#lanes.get(item.lane) ?? 1) - 1;
    if (left === 0) this.#lanes.delete(item.lane);
    else this.#lanes.set(item.lane, left);
    if (this.#inFlight.size === 0) for (const resolve of this.#onQuiet.splice(0)) resolve();
    if (this.#mode !== 'running') return;
    const hasBegun = this.#beginReady() > 0;
    if (hasBegun) return;
    // What ended may have made room in another lane than its own.
    if (this.#isPageFull || [...this.#leftOutLanes].some((lane) => this.#hasRoom(lane))) this.wake();
  }

  #hold(item: WorkItem, until: Instant): void {
    this.#held.set(item.key, { dueAt: item.dueAt, until });
    this.#lookBy(until);
  }
}
