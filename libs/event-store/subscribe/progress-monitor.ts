import type { Clock, Instant, Scheduled, Scheduler } from '@app/kernel';
import type { EventStore, Position } from '../core/port';

interface ConditionWait {
  readonly isMet: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class ConditionWaits {
  #waiters: ConditionWait[] = [];

  until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ isMet, resolve, reject }));
  }

  wake(): void {
    if (this.#waiters.length === 0) return;
    const met: ConditionWait[] = [];
    this.#waiters = this.#waiters.filter((waiter) => {
      if (!waiter.isMet()) return true;
      met.push(waiter);
      return false;
    });
    for (const { resolve } of met) resolve();
  }

  rejectAll(error: Error): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }
}

interface ProgressMonitorSettings {
  readonly store: Pick<EventStore, 'head' | 'comparePositions'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly position: () => Position | undefined;
  /** If true, another process projects and checks its own progress. */
  readonly isWaiting: () => boolean;
  readonly endSession: () => Promise<void> | undefined;
  readonly onError: (error: unknown) => void;
}

const WATCH_MS = 5_000;
/** A session without progress for this long counts as dead. A leader without its quorum sends nothing, not even an error. */
const STALLED_MS = 30_000;
const CHECKS_AHEAD_MAX = 2;

/**
 * Compares a projection's checkpoint with the log's head every few seconds. Ends a session that makes no progress or is ahead of the log.
 */
export class ProgressMonitor {
  readonly #settings: ProgressMonitorSettings;
  #unreached: { readonly head: Position; readonly seenAt: Instant } | undefined;
  #movedAt: Instant | undefined;
  #checksAhead = 0;
  #timer: Scheduled | undefined;
  #isStopped = false;

  constructor(settings: ProgressMonitorSettings) {
    this.#settings = settings;
  }

  /** When the oldest head that is not yet reached was sampled. Undefined if all are reached. */
  get behindSince(): Instant | undefined {
    return this.#unreached?.seenAt;
  }

  start(): void {
    if (this.#timer === undefined) this.#checkLater();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  moved(): void {
    this.#movedAt = this.#settings.clock.now();
  }

  #checkLater(): void {
    this.#timer = this.#settings.scheduler.after(WATCH_MS, () => {
      void this.#check().finally(() => {
        if (!this.#isStopped) this.#checkLater();
      });
    });
  }

  async #check(): Promise<void> {
    const { store, clock, isWaiting, endSession, onError } = this.#settings;
    try {
      if (isWaiting()) {
        this.#unreached = undefined;
        return;
      }
      const head = await store.head();
      const now = clock.now();
      const position = this.#settings.position();
      if (this.#isAheadOf(head, position)) {
        await endSession();
        return;
      }
      const isReached = (seen: Position): boolean => position !== undefined && store.comparePositions(seen, position) <= 0;
      if (this.#unreached !== undefined && isReached(this.#unreached.head)) this.#unreached = undefined;
      if (this.#unreached === undefined && !isReached(head)) this.#unreached = { head, seenAt: now };
      if (this.#unreached === undefined) return;
      const { seenAt } = this.#unreached;
      const stillSince = Math.max(seenAt, this.#movedAt ?? seenAt);
      if (now - stillSince < STALLED_MS) return;
      this.#movedAt = now;
      await endSession();
    } catch (error) {
      onError(error);
    }
  }

  /**
   * Detects that the log lost its end; a new session then corrects the checkpoint. Two checks in a row, because a just deposed leader
   * reports an older head.
   */
  #isAheadOf(head: Position, position: Position | undefined): boolean {
    const isAhead = position !== undefined && this.#settings.store.comparePositions(head, position) < 0;
    this.#checksAhead = isAhead ? this.#checksAhead + 1 : 0;
    if (this.#checksAhead < CHECKS_AHEAD_MAX) return false;
    this.#checksAhead = 0;
    return true;
  }
}
