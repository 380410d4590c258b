import { addMs, type Clock, type Instant, type Scheduled, type Scheduler } from '@app/kernel';
import { backOffMs } from '../core/back-off';
import { EarliestTimer, type BackgroundThrottle } from './background-throttle';
import { FailureCounts, RunningItems, UnprojectedItems, type DoneItem } from './running-items';
import { DueWorkReader, IDLE_LOOK_MS, RecentlyFinishedItems } from './due-work-reader';
import { type Lane, LaneRoundRobin } from './lane-round-robin';
import type { OpenWork, WorkItem } from './open-work';

export interface ReactorRunnerSettings {
  readonly work: OpenWork;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Handles one item by appending an event. Items can run again after an error or a restart, so check the stream before acting. */
  readonly run: (item: WorkItem) => Promise<void>;
  /** Reports a failed item, which is retried. Without an item, the work table itself failed. */
  readonly onError: (error: Error, item: WorkItem | undefined) => void;
  /** Half is shared by all lanes. The other half is reserved for lanes without running items, one item each. */
  readonly inFlightMax?: number;
  readonly inFlightPerLaneMax?: number;
  readonly busyElsewhere?: (lane: string) => number;
  readonly throttle?: Pick<BackgroundThrottle, 'begin'> | undefined;
  /** Resolves once the work table has caught up with the end of the log. Undefined if that is unknown. */
  readonly folded?: (() => Promise<void>) | undefined;
}

const BACK_OFF_MIN_MS = 200;
const BACK_OFF_MAX_MS = 60_000;
/** A finished item stays in the work table until its event is projected. After this delay it runs again if it is still listed. */
const FOLD_GRACE_MS = 1_000;
/** The item runs again after this time even if the projection has not caught up. */
const FOLD_GRACE_MS_MAX = 30_000;
/** Back-pressure: with this many finished items awaiting projection, start work only in lanes that have none. */
const UNPROJECTED_MAX = 512;
/** After this time, another process takes over the claimed work of a process that died. */
const CLAIM_MS = 15_000;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * Runs the due items of a reactor in a bounded pool, in order for each stream and in turn between lanes (architecture, rule 9). It stores
 * no state: after a restart the work table lists the same work.
 */
export class ReactorRunner {
  readonly #settings: ReactorRunnerSettings;
  readonly #running: RunningItems;
  readonly #lanes = new LaneRoundRobin(() => this.#reader.findAgain());
  readonly #held = new RecentlyFinishedItems(this.#lanes);
  readonly #unprojected: UnprojectedItems | undefined;
  readonly #failures = new FailureCounts();
  readonly #reader: DueWorkReader;
  readonly #timer: EarliestTimer;
  #mode: 'idle' | 'running' | 'draining' | 'stopped' = 'idle';
  #isLooking = false;
  #toClaim: WorkItem[] = [];
  #isClaiming = false;
  #memoryFailures = 0;
  #onQuiet: (() => void)[] = [];

  constructor(settings: ReactorRunnerSettings) {
    this.#settings = settings;
    this.#running = new RunningItems(settings);
    this.#timer = new EarliestTimer({ ...settings, onDue: () => this.wake() });
    const { folded, scheduler } = settings;
    if (folded !== undefined) this.#unprojected = new UnprojectedItems({ folded, scheduler, onFolded: (items) => this.#foldedNow(items) });
    this.#reader = new DueWorkReader({
      work: settings.work,
      clock: settings.clock,
      lanes: this.#lanes,
      running: this.#running,
      held: this.#held,
      onRead: () => this.#beginReady(),
      lookAt: (at) => this.#lookAt(at),
    });
  }

  start(): void {
    if (this.#mode === 'idle') this.#mode = 'running';
    this.wake();
  }

  wake(): void {
    this.#reader.findAgain();
    if (this.#mode === 'running' && !this.#isLooking) void this.#look();
  }

  /** After the wall clock was set, the end of each hold is unknown. Reads all held items again. */
  clockWasSet(): void {
    this.#held.releaseAll();
    this.wake();
  }

  get inFlight(): number {
    return this.#running.size;
  }

  get inFlightMax(): number {
    return this.#running.max;
  }

  async drain(timeoutMs: number): Promise<boolean> {
    if (this.#mode !== 'stopped') this.#mode = 'draining';
    this.#timer.cancel();
    if (this.#running.size === 0) return true;
    let timer: Scheduled | undefined;
    const timedOut = new Promise<boolean>((resolve) => {
      timer = this.#settings.scheduler.after(timeoutMs, () => resolve(false));
    });
    const quiet = new Promise<boolean>((resolve) => this.#onQuiet.push(() => resolve(true)));
    const isQuiet = await Promise.race([quiet, timedOut]);
    timer?.cancel();
    return isQuiet;
  }

  stop(): void {
    this.#mode = 'stopped';
    this.#timer.cancel();
    this.#unprojected?.stop();
  }

  async #look(): Promise<void> {
    const { clock, onError } = this.#settings;
    this.#isLooking = true;
    try {
      while (this.#mode === 'running' && this.#reader.mayReadOn) {
        await this.#reader.readOn();
        this.#memoryFailures = 0;
      }
    } catch (error) {
      // The work table of a stopped runner may already be closed, so its errors mean nothing.
      if (this.#mode === 'stopped') return;
      this.#reader.findAgain();
      this.#memoryFailures += 1;
      this.#lookAt(addMs(clock.now(), backOffMs(this.#memoryFailures, BACK_OFF_MIN_MS, IDLE_LOOK_MS)));
      onError(asError(error), undefined);
    } finally {
      this.#isLooking = false;
    }
  }

  #lookAt(at: Instant): void {
    if (this.#mode === 'running') this.#timer.at(at);
  }

  #beginReady(): void {
    if (this.#mode !== 'running') return;
    const begun: WorkItem[] = [];
    const isFarBehind = (this.#unprojected?.size ?? 0) >= UNPROJECTED_MAX;
    for (const lane of this.#lanes.idle) {
      if (!this.#running.hasRoom) break;
      if (isFarBehind && lane.held > 0) continue;
      if (this.#running.isFull(lane)) this.#lanes.drop(lane);
      else this.#beginNextOf(lane, begun);
    }
    for (const lane of this.#lanes.busy) {
      if (isFarBehind || !this.#running.hasSharedRoom) break;
      if (this.#running.hasRoomFor(lane)) this.#beginNextOf(lane, begun);
    }
    if (this.#settings.work.claim === undefined) for (const item of begun) this.#begin(item);
    else void this.#claim(begun);
  }

  #begin(item: WorkItem): void {
    const { throttle } = this.#settings;
    const begin = (): void => (this.#mode === 'stopped' ? this.#end(item) : void this.#do(item).finally(() => this.#end(item)));
    if (throttle === undefined) return begin();
    throttle.begin(begin);
  }

  #beginNextOf(lane: Lane, begun: WorkItem[]): void {
    const item = lane.next(
      (item) => this.#running.has(item.key) || this.#held.untilOf(item) !== undefined,
      ({ stream }) => !this.#running.isBusy(stream),
    );
    if (item !== undefined) {
      this.#running.begin(lane, item);
      this.#held.release(item.key);
      begun.push(item);
      this.#lanes.passTurn(lane);
    } else if (lane.mayHaveMore) this.#lanes.mustRead(lane);
    else this.#lanes.leave(lane);
  }

  /** One claim at a time, because each is a commit. Items that arrive during a claim share the next one. */
  async #claim(items: readonly WorkItem[]): Promise<void> {
    this.#toClaim.push(...items);
    if (this.#isClaiming) return;
    this.#isClaiming = true;
    while (this.#toClaim.length > 0) {
      const next = this.#toClaim;
      this.#toClaim = [];
      if (this.#mode === 'running') await this.#doClaimed(next);
      else for (const item of next) this.#end(item);
    }
    this.#isClaiming = false;
  }

  async #doClaimed(items: readonly WorkItem[]): Promise<void> {
    const { work, clock, onError } = this.#settings;
    const until = addMs(clock.now(), CLAIM_MS);
    let claimed: ReadonlySet<string> = new Set();
    let hasAnswered = false;
    try {
      claimed = (await work.claim?.(items, until)) ?? claimed;
      hasAnswered = true;
    } catch (error) {
      onError(asError(error), undefined);
    }
    for (const item of items) {
      if (claimed.has(item.key)) {
        // The claim moved the due time in the work table, and a later postponement must match it.
        this.#begin({ ...item, dueAt: until });
        continue;
      }
      // The process that took this item usually took the whole page. If the read failed, the lane is read again when the hold ends.
      this.#lanes.of(item.lane).readAgain([], hasAnswered);
      this.#hold(item, addMs(clock.now(), FOLD_GRACE_MS));
      this.#end(item);
    }
  }

  async #do(item: WorkItem): Promise<void> {
    const { run, clock, onError } = this.#settings;
    try {
      await run(item);
      this.#failures.forget(item.key);
      this.#holdDone(item, clock.now());
    } catch (error) {
      onError(asError(error), item);
      await this.#postpone(item);
    }
  }

  async #postpone(item: WorkItem): Promise<void> {
    const { work, clock, onError } = this.#settings;
    const until = addMs(clock.now(), backOffMs(this.#failures.add(item.key), BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
    this.#hold(item, until);
    try {
      // Postponed in the work table too, so that failing items do not fill every page of due work.
      await work.postpone(item, until);
    } catch (error) {
      onError(asError(error), item);
    }
  }

  #holdDone(item: WorkItem, now: Instant): void {
    const repeatAt = addMs(now, FOLD_GRACE_MS);
    if (this.#unprojected === undefined) return this.#hold(item, repeatAt);
    this.#hold(item, addMs(now, FOLD_GRACE_MS_MAX));
    this.#unprojected.add({ item, repeatAt });
  }

  #foldedNow(items: readonly DoneItem[]): void {
    for (const { item, repeatAt } of items) this.#held.folded(item, repeatAt);
    const [first] = items;
    if (first !== undefined) this.#lookAt(first.repeatAt);
    this.#goOn();
  }

  #hold(item: WorkItem, until: Instant): void {
    this.#held.hold(item, until);
    this.#lookAt(until);
  }

  #end(item: WorkItem): void {
    this.#running.end(item);
    this.#lanes.freeStream(item.stream);
    this.#lanes.itemEnded(this.#lanes.of(item.lane));
    if (this.#running.size === 0) for (const resolve of this.#onQuiet.splice(0)) resolve();
    this.#goOn();
  }

  #goOn(): void {
    if (this.#mode !== 'running') return;
    this.#beginReady();
    if (!this.#isLooking && this.#reader.mayReadOn) void this.#look();
  }
}
