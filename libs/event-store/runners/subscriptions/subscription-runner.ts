import type { Clock, Instant, Scheduled, Scheduler } from '@app/kernel';
import { backOffMs } from '../back-off';
import { BrokenChain } from '../../chain/chain';
import { StoreUnavailable, type EventStore, type Position, type StoredEvent, type StreamName } from '../../core/port';
import { SubscriptionSession } from './subscription-session';

/** Where a projection, or a reactor's memory, keeps what it folded. */
export interface ProjectionStore {
  /** Of the last batch applied; undefined before the first. */
  position(): Promise<Position | undefined>;
  /** Streams that were parked and not taken up again. */
  parked(): Promise<readonly StreamName[]>;
  /**
   * One transaction: all events and the checkpoint, or nothing. The batch is empty where only the checkpoint moves.
   * @throws StoreUnavailable where the store is away, so that the same comes again; any other error is the events' own
   */
  apply(batch: readonly StoredEvent[], upTo: Position): Promise<void>;
  /** One transaction: the stream is recorded with the error, and the checkpoint moves to the event, which was not applied. */
  park(event: StoredEvent, error: Error): Promise<void>;
  /**
   * Where one of several processes projects, `position` waits until it is this one; from here on it may be another, for good. A `position` that
   * waits ends with an error.
   */
  release?(): Promise<void>;
}

/** `waiting`: the checkpoint is being read, which waits where another process projects. */
export type RunnerStatus = 'starting' | 'waiting' | 'catching-up' | 'live' | 'retrying' | 'stopped';

export interface RunnerHealth {
  readonly status: RunnerStatus;
  readonly position: Position | undefined;
  /**
   * When the watch saw the oldest head that the checkpoint has not reached yet; undefined while it has reached all that it saw. It looks every
   * few seconds: on a log that is always written to, the head itself is always ahead.
   */
  readonly behindSince: Instant | undefined;
  readonly parkedStreams: number;
  /** Of what it is retrying. */
  readonly lastError: Error | undefined;
}

export interface SubscriptionRunnerSettings {
  readonly store: EventStore;
  readonly categories: readonly string[];
  readonly projection: ProjectionStore;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** After each batch, with the events that it held (none where only the checkpoint moved). */
  readonly onBatch?: (batch: readonly StoredEvent[], upTo: Position) => void;
  /** An alarm: this stream is out of the projection until somebody takes it up again (architecture, rule 15). */
  readonly onParked?: (event: StoredEvent, error: Error) => void;
  /** The world failed, and it is tried again. */
  readonly onRetry?: (error: Error) => void;
}

const BACK_OFF_MIN_MS = 50;
const BACK_OFF_MAX_MS = 5_000;
const WATCH_MS = 5_000;
/** Behind the head and not moving for so long: the session is dead though nobody said so (a leader without its quorum sends nothing at all). */
const STALLED_MS = 30_000;
const LOOKS_AHEAD_MAX = 2;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * Feeds one projection from the log: sequential, in batches, resumed from its checkpoint after every failure, with a poisonous event's stream
 * parked and the rest going on (architecture, rule 15; safety, F17 to F20).
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
  /** Looks in a row that found the head before the checkpoint. */
  #looksAhead = 0;

  constructor(settings: SubscriptionRunnerSettings) {
    this.#settings = settings;
  }

  /** Begins at the checkpoint; twice is once. */
  start(): void {
    if (this.#isStopped) throw new Error('a runner that was stopped does not start again');
    this.#running ??= this.#run();
    if (this.#watch === undefined) this.#watchLater();
  }

  /** Resolves when the batch that is being applied is done; nothing is applied after it. */
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

  /** Resolves once all that stood in the log when a session began is applied. */
  caughtUp(): Promise<void> {
    return this.#until(() => this.#isCaughtUp);
  }

  /** Resolves once this position (of an event of these categories) is applied. */
  reached(position: Position): Promise<void> {
    const { store } = this.#settings;
    return this.#until(() => this.#position !== undefined && store.comparePositions(this.#position, position) >= 0);
  }

  /**
   * Runs a task between two batches and reads the projection's checkpoint and parked streams again after it: for `rebuild --stream`, which must
   * not write at the same time.
   */
  between<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#exclusively(async () => {
      try {
        return await task();
      } finally {
        const before = this.#position;
        await this.#readBack();
        // What was read ahead follows from another checkpoint.
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
    // A turn that was given up, a call that was cut off: that is how a runner ends.
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
      // Damaged in the log itself: it is never folded, and what comes after it must not wait for it (safety, F27).
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
      const wanted = this.#parked.size === 0 ? batch : batch.filter(({ stream }) => !this.#parked.has(stream));
      try {
        await projection.apply(wanted, upTo);
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        await this.#applyOneByOne(wanted, upTo);
      }
      this.#moveTo(upTo);
      onBatch?.(wanted, upTo);
    });
  }

  /** Finds the poison: each event alone, and the stream of the one that fails is parked. */
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
      void this.#look().finally(() => {
        if (!this.#isStopped) this.#watchLater();
      });
    });
  }

  /**
   * The log lost its end under a projection: a session that begins anew asks for the checkpoint, and the projection says where it stands then. Twice in
   * a row, for a leader that was deposed a moment ago tells an older head.
   */
  async #isAheadOf(head: Position): Promise<boolean> {
    const { store } = this.#settings;
    const isAhead = this.#position !== undefined && store.comparePositions(head, this.#position) < 0;
    this.#looksAhead = isAhead ? this.#looksAhead + 1 : 0;
    if (this.#looksAhead < LOOKS_AHEAD_MAX) return false;
    this.#looksAhead = 0;
    await this.#session?.end();
    return true;
  }

  /** Head against checkpoint. */
  async #look(): Promise<void> {
    const { store, clock } = this.#settings;
    try {
      // Whoever projects meanwhile watches over it.
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
