import { addMs, type Clock, type Instant, type Scheduled, type Scheduler } from '@app/kernel';
import { backOffMs } from '../core/back-off';
import type { StreamName } from '../core/port';
import type { BackgroundThrottle } from './background-throttle';
import { EarliestTimer } from './earliest-timer';
import { HiddenItems } from './hidden-items';
import { type Lane, Lanes, LANES_MAX } from './lanes';
import type { DueLane, OpenWork, WorkItem } from './open-work';

export interface ReactorRunnerSettings {
  readonly work: OpenWork;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /**
   * Handles one item by appending an event. Items can run again after an error or a restart, so check the stream before acting, or claim it by
   * its exact revision.
   * @returns when the item is due again, if no event says so
   */
  readonly run: (item: WorkItem) => Promise<Instant | undefined>;
  /** Reports a failed item, which is retried. Without an item, the work table itself failed. */
  readonly onError: (error: Error, item: WorkItem | undefined) => void;
  /** Half is shared by all lanes. The other half is reserved for lanes without running items, one item each. */
  readonly inFlightMax?: number;
  readonly inFlightPerLaneMax?: number;
  readonly busyElsewhere?: (lane: string) => number;
  readonly throttle?: Pick<BackgroundThrottle, 'start'> | undefined;
  /** Resolves once the work table has caught up with the end of the log. Undefined if that is unknown. */
  readonly folded?: (() => Promise<void>) | undefined;
}

const IN_FLIGHT_MAX = 512;
const IN_FLIGHT_PER_LANE_MAX = 16;
/** Work runs at most this many finished items ahead of the projection. Beyond, only lanes without such items start work, one each. */
const UNPROJECTED_MAX = 512;
/** Only so many keys with a count of failures, so that memory is bounded. */
const FAILURES_MAX = 10_000;
const LANES_PER_READ = 256;
const ITEMS_PER_READ = 1_024;
const ITEMS_OF_LANE = { min: 4, max: 128 } as const;

const RETRY_MIN_MS = 200;
/** Also the longest wait for the projection of a finished item. */
const RETRY_MAX_MS = 60_000;
/** An item that ran without an effect, or that another process claimed, is not tried again sooner. */
const AGAIN_MS = 1_000;
/** Limits the delay after a lost wake-up. */
const LOOK_MS = 5_000;
/** After this time, another process takes over the claimed items of a process that died. */
const CLAIM_MS = 15_000;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * Runs the due items of a reactor (docs/runner.md): finds lanes with due work, reads their items, starts items of each lane in turn, and
 * hides finished ones until the work table knows. It stores no state: after a restart the work table lists the same work.
 */
export class ReactorRunner {
  readonly inFlightMax: number;
  readonly #settings: ReactorRunnerSettings;
  readonly #lanes = new Lanes();
  readonly #hidden = new HiddenItems(this.#lanes);
  readonly #running = new Map<string, WorkItem>();
  readonly #busyStreams = new Set<StreamName>();
  readonly #failures = new Map<string, number>();
  readonly #timer: EarliestTimer;
  #mode: 'idle' | 'running' | 'draining' | 'stopped' = 'idle';
  #isLooking = false;
  #mustFind = false;
  /** The last lane of the page of lanes that was read, if more pages follow. */
  #foundUpTo: DueLane | undefined;
  #readFailures = 0;
  #toClaim: WorkItem[] = [];
  #isClaiming = false;
  #finished: WorkItem[] = [];
  #isAwaitingProjection = false;
  #onQuiet: (() => void)[] = [];

  constructor(settings: ReactorRunnerSettings) {
    this.#settings = settings;
    this.inFlightMax = settings.inFlightMax ?? IN_FLIGHT_MAX;
    this.#timer = new EarliestTimer({ ...settings, onDue: () => this.wake() });
  }

  get inFlight(): number {
    return this.#running.size;
  }

  start(): void {
    if (this.#mode === 'idle') this.#mode = 'running';
    this.wake();
  }

  wake(): void {
    this.#mustFind = true;
    void this.#awaitProjection();
    if (this.#mode === 'running' && !this.#isLooking) void this.#look();
  }

  /** After the wall clock was set, the end of each hidden time is unknown. */
  clockWasSet(): void {
    this.#hidden.showUntil(Infinity as Instant);
    this.wake();
  }

  /**
   * Starts nothing more. Resolves when all items have ended. After a timeout it resolves with false, and gives back the claims of the
   * others, so that another process can start them at once.
   */
  async drain(timeoutMs: number): Promise<boolean> {
    if (this.#mode !== 'stopped') this.#mode = 'draining';
    this.#timer.cancel();
    if (this.#running.size === 0) return true;
    let timer: Scheduled | undefined;
    const timedOut = new Promise<boolean>((resolve) => (timer = this.#settings.scheduler.after(timeoutMs, () => resolve(false))));
    const quiet = new Promise<boolean>((resolve) => this.#onQuiet.push(() => resolve(true)));
    const isQuiet = await Promise.race([quiet, timedOut]);
    timer?.cancel();
    if (!isQuiet && this.#settings.work.claim !== undefined) await this.#giveBack([...this.#running.values()]);
    return isQuiet;
  }

  stop(): void {
    this.#mode = 'stopped';
    this.#timer.cancel();
  }

  // Find and read

  async #look(): Promise<void> {
    const { clock, onError } = this.#settings;
    this.#isLooking = true;
    try {
      while (this.#mode === 'running' && this.#mayLook) {
        await (this.#lanes.mustRead ? this.#readItems() : this.#findLanes());
        this.#readFailures = 0;
        this.#startDue();
      }
    } catch (error) {
      // The work table of a stopped runner may already be closed, so its errors mean nothing.
      if (this.#mode === 'stopped') return;
      this.#mustFind = true;
      this.#readFailures += 1;
      this.#lookAt(addMs(clock.now(), backOffMs(this.#readFailures, RETRY_MIN_MS, LOOK_MS)));
      onError(asError(error), undefined);
    } finally {
      this.#isLooking = false;
    }
  }

  get #mayLook(): boolean {
    return this.#lanes.mustRead || ((this.#mustFind || this.#foundUpTo !== undefined) && !this.#lanes.isFull);
  }

  #lookAt(at: Instant): void {
    if (this.#mode === 'running') this.#timer.at(at);
  }

  async #findLanes(): Promise<void> {
    const { work, clock } = this.#settings;
    const now = clock.now();
    this.#hidden.showUntil(now);
    if (this.#foundUpTo === undefined) this.#mustFind = false;
    const { lanes, nextDueAt } = await work.dueLanes(now, LANES_MAX, this.#foundUpTo);
    this.#foundUpTo = lanes.length < LANES_MAX ? undefined : lanes.at(-1);
    for (const { lane } of lanes) this.#lanes.found(lane);
    this.#lookAt(addMs(now, LOOK_MS));
    if (nextDueAt !== undefined) this.#lookAt(nextDueAt);
  }

  async #readItems(): Promise<void> {
    const { work, clock } = this.#settings;
    const now = clock.now();
    const lanes = this.#lanes.unread(LANES_PER_READ);
    const limit = Math.min(Math.max(Math.floor(ITEMS_PER_READ / lanes.length), ITEMS_OF_LANE.min), ITEMS_OF_LANE.max);
    const from = lanes.map((lane) => ({ lane: lane.name, after: lane.pageFrom(now, LOOK_MS) }));
    const items = new Map(lanes.map(({ name }): [string, WorkItem[]] => [name, []]));
    for (const item of await work.firstOf(from, limit)) items.get(item.lane)?.push(item);
    const resting: string[] = [];
    for (const lane of lanes) {
      const page = items.get(lane.name) ?? [];
      const due = page.filter(({ dueAt }) => dueAt <= now);
      const next = page[due.length];
      if (next !== undefined) this.#lookAt(next.dueAt);
      if (due.length === 0 && lane.after === undefined) resting.push(lane.name);
      const isWhole = due.length < limit;
      lane.add(
        due.filter((item) => !this.#isTaken(item)),
        !isWhole,
      );
      lane.after = isWhole ? undefined : due.at(-1);
      this.#lanes.wasRead(lane);
    }
    if (resting.length > 0) await work.rest(resting);
  }

  #isTaken(item: WorkItem): boolean {
    const hiddenUntil = this.#hidden.untilOf(item);
    // An earlier timer replaces the one at the end of the hidden time, so each hidden item needs its own.
    if (hiddenUntil !== undefined) this.#lookAt(hiddenUntil);
    return hiddenUntil !== undefined || this.#running.has(item.key);
  }

  // Start

  #startDue(): void {
    const { throttle } = this.#settings;
    if (throttle !== undefined) throttle.start(this.#startNext);
    else while (this.#startNext());
  }

  readonly #startNext = (): boolean => {
    if (this.#mode !== 'running' || this.#running.size >= this.inFlightMax) return false;
    for (const lane of this.#lanes.idle) if (this.#startOf(lane)) return true;
    for (const lane of this.#lanes.busy) {
      if (this.#running.size + 1 >= this.#sharedMax) break;
      if (this.#startOf(lane)) return true;
    }
    if (this.#mayLook && !this.#isLooking) void this.#look();
    return false;
  };

  get #sharedMax(): number {
    return Math.ceil(this.inFlightMax / 2);
  }

  #startOf(lane: Lane): boolean {
    if (this.#lanes.isUnread(lane)) return false;
    if (this.#isFull(lane)) {
      // Its calls outside the runner end with a wake-up, which finds it again.
      if (lane.running === 0 && lane.unprojected === 0) this.#lanes.drop(lane);
      else this.#lanes.leave(lane, true);
      return false;
    }
    const item = lane.next(
      (item) => this.#isTaken(item),
      ({ stream }) => !this.#busyStreams.has(stream),
    );
    if (item === undefined) {
      this.#lanes.leave(lane);
      return false;
    }
    lane.running += 1;
    this.#running.set(item.key, item);
    this.#busyStreams.add(item.stream);
    this.#hidden.show(item.key);
    // While not all lanes fit into memory, a lane makes room for others after its turn, and is found again.
    if (this.#foundUpTo !== undefined) {
      this.#mustFind = true;
      this.#lanes.drop(lane);
    } else this.#lanes.passTurn(lane);
    if (this.#settings.work.claim === undefined) void this.#do(item);
    else void this.#claim(item);
    return true;
  }

  #isFull({ name, running, unprojected }: Lane): boolean {
    const { inFlightPerLaneMax = IN_FLIGHT_PER_LANE_MAX, busyElsewhere } = this.#settings;
    if (running + (busyElsewhere?.(name) ?? 0) >= inFlightPerLaneMax) return true;
    if (running + unprojected > 0 && this.#hidden.unprojected >= UNPROJECTED_MAX) return true;
    return running > 0 && running >= this.#sharedMax - this.#running.size;
  }

  // Claim, run, end

  /** One claim at a time, because each is a commit. Items that start during a claim share the next one. */
  async #claim(item: WorkItem): Promise<void> {
    this.#toClaim.push(item);
    if (this.#isClaiming) return;
    this.#isClaiming = true;
    await Promise.resolve();
    while (this.#toClaim.length > 0) await this.#doClaimed(this.#toClaim.splice(0));
    this.#isClaiming = false;
  }

  async #doClaimed(items: readonly WorkItem[]): Promise<void> {
    const { work, clock, onError } = this.#settings;
    const until = addMs(clock.now(), CLAIM_MS);
    let claimed: ReadonlySet<string> = new Set();
    let hasAnswered = false;
    try {
      if (this.#mode === 'running') claimed = (await work.claim?.(items, until)) ?? claimed;
      hasAnswered = true;
    } catch (error) {
      onError(asError(error), undefined);
    }
    // The claim moved the due time in the work table, and a later postponement must match it.
    const ours = items.filter(({ key }) => claimed.has(key)).map((item) => ({ ...item, dueAt: until, dueBeforeClaim: item.dueAt }));
    if (this.#mode === 'running') {
      for (const item of ours) this.#running.set(item.key, item);
      for (const item of ours) void this.#do(item);
    } else {
      await this.#giveBack(ours);
      for (const item of ours) this.#end(item);
    }
    for (const item of items) {
      if (claimed.has(item.key)) continue;
      // The process that took this item usually took the whole page.
      this.#lanes.of(item.lane).readAgain(hasAnswered);
      this.#hide(item, addMs(clock.now(), AGAIN_MS));
      this.#end(item);
    }
  }

  async #giveBack(items: readonly WorkItem[]): Promise<void> {
    const { work, clock, onError } = this.#settings;
    const now = clock.now();
    await Promise.all(items.map((item) => work.postpone(item, now).catch((error: unknown) => onError(asError(error), item))));
  }

  async #do(item: WorkItem): Promise<void> {
    const { work, run, clock, onError, folded } = this.#settings;
    try {
      const againAt = await run(item);
      if (againAt !== undefined) await work.postpone(item, againAt);
      this.#failures.delete(item.key);
      this.#hide(item, addMs(clock.now(), folded === undefined ? AGAIN_MS : RETRY_MAX_MS), folded !== undefined);
      if (folded !== undefined) this.#finished.push(item);
      void this.#awaitProjection();
    } catch (error) {
      onError(asError(error), item);
      const until = addMs(clock.now(), backOffMs(this.#failed(item.key), RETRY_MIN_MS, RETRY_MAX_MS));
      this.#hide(item, until);
      // Postponed in the work table too, so that failing items do not fill every page of due work.
      await work.postpone(item, until).catch((error: unknown) => onError(asError(error), item));
    }
    this.#end(item);
  }

  #failed(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.delete(key);
    this.#failures.set(key, failures);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > FAILURES_MAX && oldest !== undefined) this.#failures.delete(oldest);
    return failures;
  }

  /** One wait covers all items that finished before it; later ones share the next. After a failure, the next wake-up tries again. */
  async #awaitProjection(): Promise<void> {
    const { clock, folded } = this.#settings;
    if (this.#isAwaitingProjection || folded === undefined) return;
    this.#isAwaitingProjection = true;
    while (this.#finished.length > 0 && this.#mode !== 'stopped') {
      const finished = this.#finished.splice(0);
      const againAt = addMs(clock.now(), AGAIN_MS);
      try {
        await folded();
      } catch {
        this.#finished.push(...finished);
        break;
      }
      for (const item of finished) this.#hidden.projected(item, againAt);
      this.#lookAt(againAt);
      this.#goOn();
    }
    this.#isAwaitingProjection = false;
  }

  #hide(item: WorkItem, until: Instant, isUnprojected = false): void {
    this.#hidden.hide(item, until, isUnprojected);
    this.#lookAt(until);
  }

  #end(item: WorkItem): void {
    const lane = this.#lanes.of(item.lane);
    lane.running -= 1;
    this.#running.delete(item.key);
    this.#busyStreams.delete(item.stream);
    this.#lanes.enqueue(lane);
    if (this.#running.size === 0) for (const resolve of this.#onQuiet.splice(0)) resolve();
    this.#goOn();
  }

  #goOn(): void {
    if (this.#mode !== 'running') return;
    this.#lanes.tryAgain();
    this.#startDue();
  }
}
