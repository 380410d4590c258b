import type { Instant, Scheduled, Scheduler } from '@app/kernel';
import type { WorkItem } from './open-work';

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
  /** Called with items whose events are folded; with none where that takes longer than is waited for. */
  readonly onFolded: (items: readonly DoneItem[]) => void;
}

/** The longest wait for the memory, which may be further behind, or fold nothing at all: others must not wait for it. */
const FOLD_WAIT_MS_MAX = 5_000;

/**
 * Items that are done while it is not known whether the memory has folded what they stored, until which it may list them still. One wait asks for all that
 * finished before it; those that finish meanwhile are of the next.
 */
export class UnfoldedItems {
  readonly #settings: UnfoldedItemsSettings;
  #asked: readonly DoneItem[] = [];
  #next: DoneItem[] = [];
  #endWait = (): void => undefined;
  #isStopped = false;

  constructor(settings: UnfoldedItemsSettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#asked.length + this.#next.length;
  }

  add(item: DoneItem): void {
    this.#next.push(item);
    if (!this.#isStopped && this.#asked.length === 0) void this.#ask();
  }

  /** Waits for nothing any more. */
  stop(): void {
    this.#isStopped = true;
    this.#endWait();
  }

  async #ask(): Promise<void> {
    while (this.#next.length > 0) {
      this.#asked = this.#next;
      this.#next = [];
      const isFolded = await this.#foldedInTime();
      if (this.#isStopped) return;
      const items = isFolded ? this.#asked : [];
      this.#asked = [];
      this.#settings.onFolded(items);
    }
  }

  #foldedInTime(): Promise<boolean> {
    const { folded, scheduler } = this.#settings;
    return new Promise((resolve) => {
      const late: Scheduled = scheduler.after(FOLD_WAIT_MS_MAX, () => resolve(false));
      this.#endWait = () => {
        late.cancel();
        resolve(true);
      };
      // A memory that fails is no answer: the wait is over when it is late.
      folded().then(this.#endWait, () => undefined);
    });
  }
}
