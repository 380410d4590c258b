import type { Position, StoredEvent, Subscription, SubscriptionItem } from '../core/port';

export interface LogPage {
  readonly events: readonly StoredEvent[];
  /** The log was scanned up to here, including events of other categories. */
  readonly scannedTo: Position;
  readonly isAtEnd: boolean;
}

export interface PagedLog {
  page(after: Position): LogPage;
  head(): Position;
  comparePositions(a: Position, b: Position): number;
  yieldToEventLoop(): Promise<void>;
  onEnd(): void;
}

type Result = IteratorResult<SubscriptionItem, undefined>;

const DONE: Result = { done: true, value: undefined };

/** Level-triggered by a cursor and a wake-up, so that no event is missed between catch-up and notification. */
export class CursorSubscription implements Subscription {
  readonly #log: PagedLog;
  readonly #headAtStart: Position;
  #cursor: Position;
  #reported: Position;
  #items: SubscriptionItem[] = [];
  #index = 0;
  #isCaughtUp = false;
  #isWoken = true;
  #isEnded = false;
  #onWake: (() => void) | undefined;

  constructor(log: PagedLog, after: Position) {
    this.#log = log;
    this.#cursor = after;
    this.#reported = after;
    this.#headAtStart = log.head();
  }

  wake(): void {
    this.#isWoken = true;
    this.#onWake?.();
  }

  cancel(): Promise<void> {
    this.#end();
    return Promise.resolve();
  }

  [Symbol.asyncIterator](): AsyncIterator<SubscriptionItem, undefined> {
    return {
      next: () => {
        const item = this.#isEnded ? undefined : this.#items[this.#index];
        if (item === undefined) return this.#fill();
        this.#index += 1;
        return Promise.resolve({ done: false, value: item });
      },
      return: () => {
        this.#end();
        return Promise.resolve(DONE);
      },
    };
  }

  async #fill(): Promise<Result> {
    try {
      while (!this.#isEnded) {
        this.#isWoken = false;
        this.#take(this.#log.page(this.#cursor));
        const item = this.#items[this.#index];
        if (item !== undefined) {
          this.#index += 1;
          // Pages are read synchronously. Without a pause, a long catch-up would block the event loop.
          await this.#log.yieldToEventLoop();
          return this.#isEnded ? DONE : { done: false, value: item };
        }
        if (!this.#isWoken) await new Promise<void>((resolve) => (this.#onWake = resolve));
        this.#onWake = undefined;
      }
      return DONE;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  #take({ events, scannedTo, isAtEnd }: LogPage): void {
    if (!isAtEnd) this.#isWoken = true;
    const items: SubscriptionItem[] = events.map((event) => ({ kind: 'event', event }));
    this.#cursor = scannedTo;
    const delivered = events.at(-1)?.position ?? this.#reported;
    this.#reported = delivered;
    if (this.#log.comparePositions(scannedTo, delivered) > 0) {
      items.push({ kind: 'checkpoint', position: scannedTo });
      this.#reported = scannedTo;
    }
    if (!this.#isCaughtUp && this.#log.comparePositions(scannedTo, this.#headAtStart) >= 0) {
      this.#isCaughtUp = true;
      items.push({ kind: 'caught-up' });
    }
    this.#items = items;
    this.#index = 0;
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#items = [];
    this.#log.onEnd();
    this.#onWake?.();
  }
}
