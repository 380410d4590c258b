import type { Clock, Instant, Scheduler } from '@app/kernel';
import { backOffMs } from '../core/back-off';
import { BrokenChain } from '../core/chain';
import type { EventStore, Position, StoredEvent } from '../core/port';
import { BatchApplier, type ProjectionStore } from './batch-applier';
import { ProgressMonitor, ConditionWaits } from './progress-monitor';
import { SubscriptionSession } from './subscription-session';

/** `waiting`: reading the checkpoint, which blocks while another process projects. */
export type RunnerStatus = 'starting' | 'waiting' | 'catching-up' | 'live' | 'retrying' | 'stopped';

export interface RunnerHealth {
  readonly status: RunnerStatus;
  readonly position: Position | undefined;
  /** When the oldest log head that is not yet reached was sampled. Not the newest head, which is always ahead in a growing log. */
  readonly behindSince: Instant | undefined;
  readonly parkedStreams: number;
  readonly lastError: Error | undefined;
}

export interface SubscriptionRunnerSettings {
  readonly store: EventStore;
  readonly categories: readonly string[];
  readonly projection: ProjectionStore;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Called for each event that arrives, before it is applied, also for those of other partitions. */
  readonly onDelivered?: ((event: StoredEvent) => void) | undefined;
  readonly onBatch?: (batch: readonly StoredEvent[], upTo: Position) => void;
  /** Raises an alarm: the projection skips this stream until an operator resumes it (architecture, rule 15). */
  readonly onParked?: (event: StoredEvent, error: Error) => void;
  readonly onRetry?: (error: Error) => void;
}

const BACK_OFF_MIN_MS = 50;
const BACK_OFF_MAX_MS = 5_000;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * Feeds one projection from the log, sequentially and in batches. After a failure it resumes from the checkpoint; an event that cannot be
 * applied parks only its stream (architecture, rule 15; safety, F17 to F20).
 */
export class SubscriptionRunner {
  readonly #settings: SubscriptionRunnerSettings;
  readonly #applier: BatchApplier;
  readonly #waiters = new ConditionWaits();
  readonly #progress: ProgressMonitor;
  #status: RunnerStatus = 'starting';
  #position: Position | undefined;
  #lastError: Error | undefined;
  #failures = 0;
  #session: SubscriptionSession | undefined;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #onStop: (() => void) | undefined;
  #task: Promise<unknown> = Promise.resolve();
  #isCaughtUp = false;

  constructor(settings: SubscriptionRunnerSettings) {
    this.#settings = settings;
    this.#applier = new BatchApplier(settings.projection, (event, error) => {
      this.#moveTo(event.position);
      settings.onParked?.(event, error);
    });
    this.#progress = new ProgressMonitor({
      ...settings,
      position: () => this.#position,
      isWaiting: () => this.#status === 'waiting',
      endSession: () => this.#session?.end(),
      onError: (error) => {
        this.#lastError = asError(error);
      },
    });
  }

  start(): void {
    if (this.#isStopped) throw new Error('a runner that was stopped does not start again');
    this.#running ??= this.#run();
    this.#progress.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#progress.stop();
    this.#onStop?.();
    await this.#session?.end();
    await this.#settings.projection.release?.();
    await this.#running;
    this.#status = 'stopped';
    this.#waiters.rejectAll(new Error('the runner was stopped'));
  }

  caughtUp(): Promise<void> {
    return this.#until(() => this.#isCaughtUp);
  }

  /** Resolves once this position is applied. For events of other categories, the store reports that the log was read up to it. */
  reached(position: Position): Promise<void> {
    const { store } = this.#settings;
    return this.#until(() => this.#position !== undefined && store.comparePositions(this.#position, position) >= 0);
  }

  /**
   * Runs a task between two batches, because `orch streams unpark` must not write during one. Then reads the checkpoint and parked streams
   * again.
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
      behindSince: this.#progress.behindSince,
      parkedStreams: this.#applier.parkedStreams,
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
    const { store, categories, scheduler, projection, onDelivered } = this.#settings;
    const session = new SubscriptionSession({
      subscription: store.subscribe(categories, this.#position ?? 'start'),
      scheduler,
      onDelivered,
      takes: (event) => projection.takes?.(event) ?? true,
      apply: (batch, upTo) => this.#apply(batch, upTo),
      onCaughtUp: () => this.#caughtUpNow(),
    });
    this.#session = session;
    try {
      await session.run();
    } catch (error) {
      if (!(error instanceof BrokenChain)) throw error;
      // The event is damaged in the log, so it can never be applied, and other streams must not wait for it (safety, F27).
      await this.#exclusively(() => this.#applier.park(error.event, error));
    } finally {
      this.#session = undefined;
    }
  }

  async #readBack(): Promise<void> {
    this.#position = await this.#settings.projection.position();
    await this.#applier.readParked();
  }

  #caughtUpNow(): void {
    this.#status = 'live';
    this.#isCaughtUp = true;
    this.#failures = 0;
    this.#lastError = undefined;
    this.#waiters.wake();
  }

  #exclusively<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = this.#task.then(task);
    this.#task = turn.catch(() => undefined);
    return turn;
  }

  #apply(batch: readonly StoredEvent[], upTo: Position): Promise<void> {
    return this.#exclusively(async () => {
      const applied = await this.#applier.apply(batch, upTo);
      this.#moveTo(upTo);
      this.#settings.onBatch?.(applied, upTo);
    });
  }

  #moveTo(position: Position): void {
    this.#position = position;
    this.#progress.moved();
    this.#waiters.wake();
  }

  #until(isMet: () => boolean): Promise<void> {
    return this.#isStopped && !isMet() ? Promise.reject(new Error('the runner was stopped')) : this.#waiters.until(isMet);
  }
}
