import type { Scheduled, Scheduler } from '@app/kernel';
import { eventLoopTurn } from '../core/in-time';
import type { Position, StoredEvent, Subscription, SubscriptionItem } from '../core/port';

export interface SubscriptionSessionSettings {
  readonly subscription: Subscription;
  readonly scheduler: Scheduler;
  readonly onDelivered?: ((event: StoredEvent) => void) | undefined;
  /** If false, the event only moves the position, as a checkpoint does. */
  readonly takes: (event: StoredEvent) => boolean;
  readonly apply: (batch: readonly StoredEvent[], upTo: Position) => Promise<void>;
  readonly onCaughtUp: () => void;
}

export const BATCH_EVENTS_MAX = 500;
const WAITING_EVENTS_MAX = 2 * BATCH_EVENTS_MAX;
/**
 * A pause after a batch that leaves events waiting makes the next batch larger, which saves page writes. A single event or a full batch is
 * never delayed.
 */
export const BATCH_REST_MS = 50;
/** Delay of a checkpoint without events, to avoid a transaction per event of other categories. */
const CHECKPOINT_DELAY_MS = 100;

export class SubscriptionSession {
  readonly #settings: SubscriptionSessionSettings;
  #events: StoredEvent[] = [];
  #checkpoint: Position | undefined;
  #isCheckpointDue = false;
  #caughtUpIn: number | undefined;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;
  #applying: Promise<void> | undefined;
  #checkpointTimer: Scheduled | undefined;
  #onRoom: (() => void) | undefined;
  #endRest: (() => void) | undefined;
  /** Pauses only while live, because callers wait for a session that is catching up or ending. */
  #phase: 'catching-up' | 'live' | 'ending' = 'catching-up';

  constructor(settings: SubscriptionSessionSettings) {
    this.#settings = settings;
  }

  /** Resolves after `end`. Rejects with the session's error, after the events read before it are applied. */
  async run(): Promise<void> {
    try {
      for await (const item of this.#settings.subscription) {
        if (this.#isEnded) break;
        if (item.kind === 'event') this.#settings.onDelivered?.(item.event);
        const passed = this.#passedBy(item);
        if (passed !== undefined) {
          this.#checkpoint = passed;
          if (this.#events.length === 0) this.#pumpLater();
        } else {
          if (item.kind === 'event') this.#add(item.event);
          else this.#caughtUpIn = this.#events.length;
          this.#pump();
        }
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

  #passedBy(item: SubscriptionItem): Position | undefined {
    if (item.kind === 'checkpoint') return item.position;
    return item.kind === 'event' && !this.#settings.takes(item.event) ? item.event.position : undefined;
  }

  #add(event: StoredEvent): void {
    this.#events.push(event);
    this.#checkpoint = undefined;
    if (this.#events.length >= BATCH_EVENTS_MAX) this.#endRest?.();
  }

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
      // Lets available events join the batch: a transaction per event would make a rebuild many times slower.
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
    const isCaughtUp = this.#caughtUpIn !== undefined && (this.#caughtUpIn -= batch.length) <= 0;
    if (isCaughtUp) this.#caughtUpIn = undefined;
    if (upTo !== undefined) await this.#settings.apply(batch, upTo);
    if (!isCaughtUp) return;
    if (this.#phase === 'catching-up') this.#phase = 'live';
    this.#settings.onCaughtUp();
  }
}
