import type { WorkItem } from './open-work';

/** One lane of a reactor: its running items, and those that were read ahead and wait to begin. */
export class Lane {
  readonly name: string;
  inFlight = 0;
  /** Items that are not begun again for a while, whether the memory lists them or not. */
  held = 0;
  /** About as many of those are listed: as many as the last read found, and those that are held since and not yet folded. */
  listedDone = 0;
  /** Whether more items may be due in the memory than were read. */
  mayHaveMore = false;
  #ready: WorkItem[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Whether an item would begin if there were room. */
  get hasWork(): boolean {
    return this.mayHaveMore || this.#ready.length > 0;
  }

  /** Whether nothing is known of the lane, so that it need not be kept. */
  get isEmpty(): boolean {
    return this.inFlight === 0 && this.held === 0 && !this.hasWork;
  }

  /** Items that the memory lists before any that could begin. */
  get listedBefore(): number {
    return this.inFlight + this.listedDone + this.#ready.length;
  }

  /** Replaces the items read ahead. @param items in order of age */
  readAnew(items: readonly WorkItem[], mayHaveMore: boolean): void {
    this.#ready = [...items];
    this.mayHaveMore = mayHaveMore;
  }

  awaits(stream: WorkItem['stream']): boolean {
    return this.#ready.some((item) => item.stream === stream);
  }

  /** Takes the oldest item that may begin, and drops items that are already taken. */
  next(isTaken: (item: WorkItem) => boolean, mayBegin: (item: WorkItem) => boolean): WorkItem | undefined {
    for (let index = 0; index < this.#ready.length;) {
      const item = this.#ready[index];
      if (item === undefined) break;
      const isGone = isTaken(item);
      if (!isGone && !mayBegin(item)) {
        index += 1;
        continue;
      }
      this.#ready.splice(index, 1);
      if (!isGone) return item;
    }
    return undefined;
  }
}
