import { addMs, type Clock, type Instant, type Scheduled, type Scheduler } from '@app/kernel';
import { backOffMs } from '../core/back-off';
import { EarliestTimer, type Turns } from './turns';
import { FailureCounts, RunningItems, UnfoldedItems, type DoneItem } from './running-items';
import { DueWorkReader, IDLE_LOOK_MS, HeldItems } from './due-work-reader';
import { type Lane, LaneTurns } from './lane-turns';
import type { OpenWork, WorkItem } from './open-work';

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
  /** When items that were taken begin; at once where it is absent. */
  readonly turns?: Pick<Turns, 'begin'> | undefined;
  /** Resolves once the memory has folded all that is in the log now, whichever process folds it; absent where that is not known. */
  readonly folded?: (() => Promise<void>) | undefined;
}

const BACK_OFF_MIN_MS = 200;
const BACK_OFF_MAX_MS = 60_000;
/**
 * A finished item stays in the memory until its event is folded. One still listed after this time counts as not done and is repeated: once the memory has
 * folded all that was stored by its end, where that is known.
 */
const FOLD_GRACE_MS = 1_000;
/** Where that takes longer, the memory says nothing of the item, and it is repeated too. */
const FOLD_GRACE_MS_MAX = 30_000;
/**
 * While so many items are done and may not be folded, only lanes of which nothing is done begin one: each read of the others would give mostly what is
 * done, and the memory would be further behind.
 */
const UNFOLDED_MAX = 512;
/** Another process takes over the shared work of a process that died after this time. */
const CLAIM_MS = 15_000;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * Runs due items of a reactor's memory in a bounded pool: one of a stream at a time and in order, few of a lane, none twice at once, none lost
 * (architecture, rule 9). Where there are more lanes than room they take turns. Due items are read lane by lane, and not for a full lane. The runner holds
 * no state of its own: after a restart the memory lists the same work.
 */
export class ReactorRunner {
  readonly #settings: ReactorRunnerSettings;
  readonly #running: RunningItems;
  readonly #lanes = new LaneTurns(() => this.#reader.findAnew());
  readonly #held = new HeldItems(this.#lanes);
  readonly #unfolded: UnfoldedItems | undefined;
  readonly #failures = new FailureCounts();
  readonly #reader: DueWorkReader;
  readonly #timer: EarliestTimer;
  #mode: 'idle' | 'running' | 'draining' | 'stopped' = 'idle';
  #isLooking = false;
  /** Items that take their room already and are claimed next. */
  #toClaim: WorkItem[] = [];
  #isClaiming = false;
  #memoryFailures = 0;
  #onQuiet: (() => void)[] = [];

  constructor(settings: ReactorRunnerSettings) {
    this.#settings = settings;
    this.#running = new RunningItems(settings);
    this.#timer = new EarliestTimer({ ...settings, onDue: () => this.wake() });
    const { folded, scheduler } = settings;
    if (folded !== undefined) this.#unfolded = new UnfoldedItems({ folded, scheduler, onFolded: (items) => this.#foldedNow(items) });
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

  /** Call it when the memory has changed (`onBatch` of its subscription). */
  wake(): void {
    this.#reader.findAnew();
    if (this.#mode === 'running' && !this.#isLooking) void this.#look();
  }

  /** Reads all held items again, because the end of a hold is unknown once the wall clock was set. */
  clockWasSet(): void {
    this.#held.releaseAll();
    this.wake();
  }

  /** Count of running items. */
  get inFlight(): number {
    return this.#running.size;
  }

  get inFlightMax(): number {
    return this.#running.max;
  }

  /** Begins nothing new and waits for the running items; false where they took longer. */
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

  /** Begins nothing new and does not wait: the next process finds the running items again. */
  stop(): void {
    this.#mode = 'stopped';
    this.#timer.cancel();
    this.#unfolded?.stop();
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
      // A stopped runner's memory may already be closed, so its errors mean nothing.
      if (this.#mode === 'stopped') return;
      this.#reader.findAnew();
      this.#memoryFailures += 1;
      this.#lookAt(addMs(clock.now(), backOffMs(this.#memoryFailures, BACK_OFF_MIN_MS, IDLE_LOOK_MS)));
      onError(asError(error), undefined);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Schedules a read of the memory unless an earlier one is scheduled. */
  #lookAt(at: Instant): void {
    if (this.#mode === 'running') this.#timer.at(at);
  }

  /** Begins ready items while there is room: one of each lane in turn, lanes without running items first. */
  #beginReady(): void {
    if (this.#mode !== 'running') return;
    const begun: WorkItem[] = [];
    const isFarBehind = (this.#unfolded?.size ?? 0) >= UNFOLDED_MAX;
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

  /** @param dueAt as the memory had it, where a claim has moved it */
  #begin(item: WorkItem, dueAt = item.dueAt): void {
    const { turns } = this.#settings;
    const begin = (): void => (this.#mode === 'stopped' ? this.#end(item) : void this.#do(item).finally(() => this.#end(item)));
    if (turns === undefined) return begin();
    turns.begin(dueAt, begin);
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

  /** One claim at a time, since each is a commit: items whose turn comes meanwhile are claimed together in the next. */
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
      onError(asError(error), undefined);
    }
    for (const item of items) {
      if (claimed.has(item.key)) {
        // The claim moved the due time in the memory, and a later postponement must match it.
        this.#begin({ ...item, dueAt: until }, item.dueAt);
        continue;
      }
      // The process that took this item usually took the whole read; a memory that is unavailable is read again when the hold ends.
      this.#lanes.of(item.lane).readAnew([], hasAnswered);
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
      // Postponed in the memory too, so that many failing items do not fill every page of due work.
      await work.postpone(item, until);
    } catch (error) {
      onError(asError(error), item);
    }
  }

  #holdDone(item: WorkItem, now: Instant): void {
    const repeatAt = addMs(now, FOLD_GRACE_MS);
    if (this.#unfolded === undefined) return this.#hold(item, repeatAt);
    this.#hold(item, addMs(now, FOLD_GRACE_MS_MAX));
    this.#unfolded.add({ item, repeatAt });
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

  /** Uses room that has come free. */
  #goOn(): void {
    if (this.#mode !== 'running') return;
    this.#beginReady();
    if (!this.#isLooking && this.#reader.mayReadOn) void this.#look();
  }
}
