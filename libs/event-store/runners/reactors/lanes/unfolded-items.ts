import type { Instant, Scheduled, Scheduler } from '@app/kernel';
import type { WorkItem } from '../open-work';

/** An item that is done. */
export interface DoneItem {
  readonly item: WorkItem;
  /** Where the memory still lists it unchanged then, although it has folded what the item stored, it is done again. */
  readonly repeatAt: Instant;
}

export interface UnfoldedItemsSettings {
  /** Resolves once the memory has folded all that is in the log now. */
  readonly folded: () => Promise<void>;
  readonly scheduler: Scheduler;
  /** Called with items whose events are folded, and with those for which that took too long to wait on. */
  readonly onFolded: (items: readonly DoneItem[]) => void;
}

/** The longest wait for the memory: one that folds nothing for so long says nothing of the items either. */
export const FOLD_WAIT_MS_MAX = 5_000;

/**
 * Items that are done and that the memory lists still, because it is behind the log. One wait asks for all that finished before it; those that finish
 * meanwhile are of the next.
 */
export class UnfoldedItems {
  readonly #settings: UnfoldedItemsSettings;
  #asked: readonly DoneItem[] = [];
  #next: DoneItem[] = [];

  constructor(settings: UnfoldedItemsSettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#asked.length + this.#next.length;
  }

  add(item: DoneItem): void {
    this.#next.push(item);
    if (this.#asked.length === 0) void this.#ask();
  }

  async #ask(): Promise<void> {
    while (this.#next.length > 0) {
      this.#asked = this.#next;
      this.#next = [];
      await this.#foldedOrLate();
      const folded = this.#asked;
      this.#asked = [];
      this.#settings.onFolded(folded);
    }
  }

  #foldedOrLate(): Promise<void> {
    const { folded, scheduler } = this.#settings;
    return new Promise((resolve) => {
      const late: Scheduled = scheduler.after(FOLD_WAIT_MS_MAX, resolve);
      // A memory that fails is no answer: the wait ends it.
      folded().then(
        () => {
          late.cancel();
          resolve();
        },
        () => undefined,
      );
    });
  }
}
