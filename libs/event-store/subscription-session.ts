import type { Scheduled, Scheduler } from '@app/kernel';
import { eventLoopTurn } from './event-loop-turn';
import type { Position, StoredEvent, Subscription } from './port';

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
      }
    } catch (error) {
      this.#failure ??= { error };
      await this.end();
    }
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
    if (isCaughtUp) this.#settings.onCaughtUp();
  }
}
