import { waitAtMost, type Scheduler } from '@app/kernel';
import type { EventStore } from '@app/event-store';

/** Maximum time that a readiness request waits for the store. */
export const STORE_ANSWER_MS_MAX = 5_000;

/** Ready if the store answers in time. Concurrent requests share one read. */
export class StoreReadiness {
  #reading: Promise<boolean> | undefined;

  constructor(
    private readonly store: Pick<EventStore, 'head'>,
    private readonly scheduler: Scheduler,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  isReady(): Promise<boolean> {
    this.#reading ??= waitAtMost(this.scheduler, STORE_ANSWER_MS_MAX, this.read(), () => false).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  private async read(): Promise<boolean> {
    try {
      await this.store.head();
      return true;
    } catch (error) {
      this.onFailure(error);
      return false;
    }
  }
}
