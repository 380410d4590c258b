import { waitAtMost, type Scheduler } from '@app/kernel';
import type { EventStore } from '@app/event-store';

/** The longest wait of a readiness request for the store's answer. */
export const STORE_ANSWER_MS_MAX = 5_000;

/** A store is ready where it answers in time; requests at the same time share one read. */
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
