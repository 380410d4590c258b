import type { Clock, Instant, Scheduled, Scheduler } from '@app/kernel';
import { backOffMs } from '../back-off';
import { BrokenChain } from '../../chain/chain';
import { StoreUnavailable, type EventStore, type Position, type StoredEvent, type StreamName } from '../../core/port';
import { SubscriptionSession } from './subscription-session';

/** The storage of a projection or of a reactor's memory. */
export interface ProjectionStore {
  /** Position of the last applied batch; undefined before the first. */
  position(): Promise<Position | undefined>;
  /** Streams that are parked now. */
  parked(): Promise<readonly StreamName[]>;
  /**
   * Stores all events and the checkpoint in one transaction, or nothing. The batch is empty where only the checkpoint moves.
   * @throws StoreUnavailable where the store is unavailable, so that the batch is retried; any other error is blamed on the events
   */
  apply(batch: readonly StoredEvent[], upTo: Position): Promise<void>;
  /** Records the stream with the error and moves the checkpoint over the event in one transaction; the event is not applied. */
  park(event: StoredEvent, error: Error): Promise<void>;
  /**
   * Lets another process project, for good. Where only one of several processes may project, `position` waits until it is this one; a waiting
   * `position` then rejects.
   */
  release?(): Promise<void>;
}

/** `waiting` means that the checkpoint is being read, which waits while another process projects. */
export type RunnerStatus = 'starting' | 'waiting' | 'catching-up' | 'live' | 'retrying' | 'stopped';

export interface RunnerHealth {
  readonly status: RunnerStatus;
  readonly position: Position | undefined;
  /**
   * When the oldest head that the checkpoint has not yet reached was seen; undefined while all are reached. Heads are sampled every few seconds,
   * because on a log that grows all the time the newest head is always ahead.
   */
  readonly behindSince: Instant | undefined;
  readonly parkedStreams: number;
  /** The error that is being retried. */
  readonly lastError: Error | undefined;
}

export interface SubscriptionRunnerSettings {
  readonly store: EventStore;
  readonly categories: readonly string[];
  readonly projection: ProjectionStore;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Called after each batch, with its events (none where only the checkpoint moved). */
  readonly onBatch?: (batch: readonly StoredEvent[], upTo: Position) => void;
  /** Raises an alarm: the projection leaves this stream out until a person resumes it (architecture, rule 15). */
  readonly onParked?: (event: StoredEvent, error: Error) => void;
  /** Called before each retry. */
  readonly onRetry?: (error: Error) => void;
}

const BACK_OFF_MIN_MS = 50;
const BACK_OFF_MAX_MS = 5_000;
const WATCH_MS = 5_000;
/** A session that stays behind the head this long without progress counts as dead; a leader without its quorum sends nothing, not even an error. */
const STALLED_MS = 30_000;
const CHECKS_AHEAD_MAX = 2;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * Feeds one projection from the log, sequentially and in batches. It resumes from the checkpoint after every failure, and parks the stream of an event
 * that cannot be applied while all other streams go on (architecture, rule 15; safety, F17 to F20).
 */
export class SubscriptionRunner {
  readonly #settings: SubscriptionRunnerSettings;
  readonly #parked = new Set<StreamName>();
  #status: RunnerStatus = 'starting';
  #position: Position | undefined;
  #unreached: { readonly head: Position; readonly seenAt: Instant } | undefined;
  #lastError: Error | undefined;
  #failures = 0;
  #session: SubscriptionSession | undefined;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #onStop: (() => void) | undefined;
  #watch: Scheduled | undefined;
  #movedAt: Instant | undefined;
  #task: Promise<unknown> = Promise.resolve();
  #waiters: { readonly isMet: () => boolean; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  #isCaughtUp = false;
  /** Consecutive checks that found the head before the checkpoint. */
  #checksAhead = 0;

  constructor(settings: SubscriptionRunnerSettings) {
    this.#settings = settings;
  }

  /** Begins at the checkpoint; may be called twice. */
  start(): void {
    if (this.#isStopped) throw new Error('a runner that was stopped does not start again');
    this.#running ??= this.#run();
    if (this.#watch === undefined) this.#watchLater();
  }

  /** Resolves when the current batch is applied; no batch is applied afterwards. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#watch?.cancel();
    this.#onStop?.();
    await this.#session?.end();
    await this.#settings.projection.release?.();
    await this.#running;
    this.#status = 'stopped';
    for (const { reject } of this.#waiters.splice(0)) reject(new Error('the runner was stopped'));
  }

  /** Resolves once all events that were in the log at the start of a session are applied. */
  caughtUp(): Promise<void> {
    return this.#until(() => this.#isCaughtUp);
  }

  /** Resolves once this position, of an event of these categories, is applied. */
  reached(position: Position): Promise<void> {
    const { store } = this.#settings;
    return this.#until(() => this.#position !== undefined && store.comparePositions(this.#position, position) >= 0);
  }

  /**
   * Runs a task between two batches and then reads the projection's checkpoint and parked streams again, because `rebuild --stream` must not write while
   * a batch is applied.
   */
  between<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#exclusively(async () => {
      try {
        return await task();
      } finally {
        const before = this.#position;
        await this.#readBack();
        // The events read ahead belong to the old checkpoint.
        if (this.#position !== before) await this.#session?.end();
      }
    });
  }

  health(): RunnerHealth {
    return {
      status: this.#status,
      position: this.#position,
      behindSince: this.#unreached?.seenAt,
      parkedStreams: this.#parked.size,
      lastError: this.#lastError,
    };
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#runSession();
      } catch (error) {
        await this.#recover(asError(error));
      }
    }
  }

  async #recover(error: Error): Promise<void> {
    // Stopping ends the wait for the projection and cuts off calls, so errors are expected then.
    if (this.#isStopped) return;
    this.#failures += 1;
    this.#lastError = error;
    this.#status = 'retrying';
    this.#settings.onRetry?.(error);
    await this.#pause(backOffMs(this.#failures, BACK_OFF_MIN_MS, BACK_OFF_MAX_MS));
  }

  #pause(delayMs: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#settings.scheduler.after(delayMs, resolve);
      this.#onStop = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  async #runSession(): Promise<void> {
    this.#status = 'waiting';
    await this.#exclusively(() => this.#readBack());
    if (this.#isStopped) return;
    this.#status = 'catching-up';
    const { store, categories, scheduler } = this.#settings;
    const session = new SubscriptionSession({
      subscription: store.subscribe(categories, this.#position ?? 'start'),
      scheduler,
      apply: (batch, upTo) => this.#apply(batch, upTo),
      onCaughtUp: () => this.#caughtUpNow(),
    });
    this.#session = session;
    try {
      await session.run();
    } catch (error) {
      if (!(error instanceof BrokenChain)) throw error;
      // The event is damaged in the log itself, so it can never be folded, and later events must not wait for it (safety, F27).
      await this.#exclusively(() => this.#park(error.event, error));
    } finally {
      this.#session = undefined;
    }
  }

  async #readBack(): Promise<void> {
    const { projection } = this.#settings;
    this.#position = await projection.position();
    const parked = await projection.parked();
    this.#parked.clear();
    for (const stream of parked) this.#parked.add(stream);
  }

  #caughtUpNow(): void {
    this.#status = 'live';
    this.#isCaughtUp = true;
    this.#failures = 0;
    this.#lastError = undefined;
    this.#wakeWaiters();
  }

  #exclusively<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = this.#task.then(task);
    this.#task = turn.catch(() => undefined);
    return turn;
  }

  #apply(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    return this.#exclusively(async () => {
      const { projection, onBatch } = this.#settings;
      const applicable = this.#parked.size === 0 ? batch : batch.filter(({ stream }) => !this.#parked.has(stream));
      try {
        await projection.apply(applicable, upTo);
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        await this.#applyOneByOne(applicable, upTo);
      }
      this.#moveTo(upTo);
      onBatch?.(applicable, upTo);
    });
  }

  /** Applies each event alone to find the one that fails, and parks its stream. */
  async #applyOneByOne(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    const { projection } = this.#settings;
    for (const event of batch) {
      if (this.#parked.has(event.stream)) continue;
      try {
        await projection.apply([event], event.position);
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        await this.#park(event, asError(error));
      }
    }
    await projection.apply([], upTo);
  }

  async #park(event: StoredEvent, error: Error): Promise<void> {
    await this.#settings.projection.park(event, error);
    this.#parked.add(event.stream);
    this.#moveTo(event.position);
    this.#settings.onParked?.(event, error);
  }

  #moveTo(position: Position): void {
    this.#position = position;
    this.#movedAt = this.#settings.clock.now();
    this.#wakeWaiters();
  }

  #until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    if (this.#isStopped) return Promise.reject(new Error('the runner was stopped'));
    return new Promise((resolve, reject) => this.#waiters.push({ isMet, resolve, reject }));
  }

  #wakeWaiters(): void {
    if (this.#waiters.length === 0) return;
    const met = this.#waiters.filter(({ isMet }) => isMet());
    this.#waiters = this.#waiters.filter((waiter) => !met.includes(waiter));
    for (const { resolve } of met) resolve();
  }

  #watchLater(): void {
    this.#watch = this.#settings.scheduler.after(WATCH_MS, () => {
      void this.#checkProgress().finally(() => {
        if (!this.#isStopped) this.#watchLater();
      });
    });
  }

  /**
   * Detects that the log lost its end. A new session then reads the checkpoint again, which the projection corrects. It takes two checks in a row, since a
   * leader that was deposed a moment ago reports an older head.
   */
  async #isAheadOf(head: Position): Promise<boolean> {
    const { store } = this.#settings;
    const isAhead = this.#position !== undefined && store.comparePositions(head, this.#position) < 0;
    this.#checksAhead = isAhead ? this.#checksAhead + 1 : 0;
    if (this.#checksAhead < CHECKS_AHEAD_MAX) return false;
    this.#checksAhead = 0;
    await this.#session?.end();
    return true;
  }

  /** Compares the head with the checkpoint and ends a session that makes no progress. */
  async #checkProgress(): Promise<void> {
    const { store, clock } = this.#settings;
    try {
      // The process that projects checks its own progress.
      if (this.#status === 'waiting') {
        this.#unreached = undefined;
        return;
      }
      const head = await store.head();
      const now = clock.now();
      const position = this.#position;
      if (await this.#isAheadOf(head)) return;
      const isReached = (seen: Position): boolean => position !== undefined && store.comparePositions(seen, position) <= 0;
      if (this.#unreached !== undefined && isReached(this.#unreached.head)) this.#unreached = undefined;
      if (this.#unreached === undefined && !isReached(head)) this.#unreached = { head, seenAt: now };
      if (this.#unreached === undefined) return;
      const { seenAt } = this.#unreached;
      const stillSince = Math.max(seenAt, this.#movedAt ?? seenAt);
      if (now - stillSince < STALLED_MS) return;
      this.#movedAt = now;
      await this.#session?.end();
    } catch (error) {
      this.#lastError = asError(error);
    }
  }
}
