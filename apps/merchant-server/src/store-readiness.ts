import type { Scheduler } from '@app/kernel';
import type { EventStore } from '@app/event-store';

/** The longest wait of a readiness request for the store's answer. */
export const STORE_ANSWER_MS_MAX = 5_000;

/** Whether the store answers; requests at the same time share one read. */
export class StoreReadiness {
  #asked: Promise<boolean> | undefined;

  constructor(
    private readonly store: Pick<EventStore, 'head'>,
    private readonly scheduler: Scheduler,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  isReady(): Promise<boolean> {
    this.#asked ??= this.ask().finally(() => (this.#asked = undefined));
    return this.#asked;
  }

  private ask(): Promise<boolean> {
    return new Promise((resolve) => {
      const late = this.scheduler.after(STORE_ANSWER_MS_MAX, () => resolve(false));
      this.store
        .head()
        .then(() => resolve(true))
        .catch((error: unknown) => {
          this.onFailure(error);
          resolve(false);
        })
        .finally(() => late.cancel());
    });
  }
}
