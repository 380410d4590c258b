import type { Scheduled, Scheduler } from '@app/kernel';
import { eventLoopTurn } from '../reactors/event-loop-turn';
import type { Position, StoredEvent, Subscription } from '../../core/port';

export interface SubscriptionSessionSettings {
  readonly subscription: Subscription;
  readonly scheduler: Scheduler;
  readonly apply: (batch: readonly StoredEvent[], upTo: Position) => Promise<void>;
  /** All that stood in the log when the session began is applied. */
  readonly onCaughtUp: () => void;
}

/** Events of one transaction at most: what gathered while the last one ran. */
export const BATCH_EVENTS_MAX = 500;
/** Read ahead of the projection at most. */
const WAITING_EVENTS_MAX = 2 * BATCH_EVENTS_MAX;
/**
 * A batch that leaves others waiting is followed by a rest, so that the next one is larger: each transaction writes the same pages again, and the row of
 * a stream once for all of its events. What comes while nothing waits is applied at once, and a whole batch never rests.
 */
export const BATCH_REST_MS = 50;
/** A checkpoint without an event waits so long for one to come: a transaction for each event of others would be a waste. */
const CHECKPOINT_DELAY_MS = 100;

/** One life of a subscription: reads ahead while a batch is applied, in order and within a bound. */
export class SubscriptionSession {
  readonly #settings: SubscriptionSessionSettings;
  #events: StoredEvent[] = [];
  /** Of a checkpoint that follows all waiting events. */
  #checkpoint: Position | undefined;
  #isCheckpointDue = false;
  /** Events that wait before the place where the session has caught up. */
  #caughtUpIn: number | undefined;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;
  #applying: Promise<void> | undefined;
  #checkpointTimer: Scheduled | undefined;
  #onRoom: (() => void) | undefined;
  #endRest: (() => void) | undefined;
  /** Nothing rests but what is live: who catches up, or ends, is waited for. */
  #phase: 'catching-up' | 'live' | 'ending' = 'catching-up';

  constructor(settings: SubscriptionSessionSettings) {
    this.#settings = settings;
  }

  /** Resolves when it was ended; rejects with what broke it, after what was read before that is applied. */
  async run(): Promise<void> {
    try {
      for await (const item of this.#settings.subscription) {
        if (this.#isEnded) break;
        if (item.kind === 'event') {
          this.#events.push(item.event);
          this.#checkpoint = undefined;
          if (this.#events.length >= BATCH_EVENTS_MAX) this.#endRest?.();
        } else if (item.kind === 'checkpoint') {
          this.#checkpoint = item.position;
        } else {
          this.#caughtUpIn = this.#events.length;
        }
        if (item.kind !== 'checkpoint') this.#pump();
        else if (this.#events.length === 0) this.#pumpLater();
        if (this.#events.length >= WAITING_EVENTS_MAX) await new Promise<void>((resolve) => (this.#onRoom = resolve));
      }
    } finally {
      this.#phase = 'ending';
      this.#endRest?.();
      this.#pump();
      await this.#applying;
      await this.end();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Nothing more is applied but the batch that is under way; what was read ahead is dropped and comes again. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#checkpointTimer?.cancel();
    this.#endRest?.();
    this.#makeRoom();
    await this.#settings.subscription.cancel();
  }

  #pump(): void {
    this.#applying ??= this.#applyAll().finally(() => {
      this.#applying = undefined;
    });
  }

  #pumpLater(): void {
    this.#checkpointTimer ??= this.#settings.scheduler.after(CHECKPOINT_DELAY_MS, () => {
      this.#checkpointTimer = undefined;
      this.#isCheckpointDue = true;
      this.#pump();
    });
  }

  #hasWork(): boolean {
    return this.#events.length > 0 || this.#caughtUpIn !== undefined || (this.#isCheckpointDue && this.#checkpoint !== undefined);
  }

  #makeRoom(): void {
    this.#onRoom?.();
    this.#onRoom = undefined;
  }

  async #applyAll(): Promise<void> {
    try {
      // What the subscription holds ready joins the batch: a transaction an event would make a rebuild many times slower.
      await eventLoopTurn();
      while (!this.#isEnded && this.#hasWork()) {
        await this.#applyNext();
        await eventLoopTurn();
        if (this.#mayRest()) await this.#rest();
      }
    } catch (error) {
      this.#failure ??= { error };
      await this.end();
    }
  }

  #mayRest(): boolean {
    return this.#phase === 'live' && !this.#isEnded && this.#events.length > 0 && this.#events.length < BATCH_EVENTS_MAX;
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#settings.scheduler.after(BATCH_REST_MS, () => this.#endRest?.());
      this.#endRest = () => {
        timer.cancel();
        this.#endRest = undefined;
        resolve();
      };
    });
  }

  async #applyNext(): Promise<void> {
    const batch = this.#events.splice(0, BATCH_EVENTS_MAX);
    const last = batch.at(-1)?.position;
    const upTo = this.#events.length === 0 ? (this.#checkpoint ?? last) : last;
    if (this.#events.length === 0) {
      this.#checkpoint = undefined;
      this.#isCheckpointDue = false;
    }
    this.#makeRoom();
    // Counted before the apply: what is read ahead meanwhile stands behind this batch.
    const isCaughtUp = this.#caughtUpIn !== undefined && (this.#caughtUpIn -= batch.length) <= 0;
    if (isCaughtUp) this.#caughtUpIn = undefined;
    if (upTo !== undefined) await this.#settings.apply(batch, upTo);
    if (!isCaughtUp) return;
    if (this.#phase === 'catching-up') this.#phase = 'live';
    this.#settings.onCaughtUp();
  }
}
