import type { WorkItem } from './open-work';

/** One lane of a reactor: what of it is under way, and what was read of it and could not begin yet. */
export class Lane {
  readonly name: string;
  inFlight = 0;
  /** Done or failed a moment ago, and in the memory still. */
  held = 0;
  /** More may be due in the memory than was read. */
  mayHaveMore = false;
  #ready: WorkItem[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Something of it would begin if there were room. */
  get wants(): boolean {
    return this.mayHaveMore || this.#ready.length > 0;
  }

  /** Nothing is known of it. */
  get isForgotten(): boolean {
    return this.inFlight === 0 && this.held === 0 && !this.wants;
  }

  /** Items of it that stand in the memory before any that could begin. */
  get standing(): number {
    return this.inFlight + this.held + this.#ready.length;
  }

  /** In order of age, as the memory has them now. */
  readAnew(items: readonly WorkItem[], mayHaveMore: boolean): void {
    this.#ready = [...items];
    this.mayHaveMore = mayHaveMore;
  }

  awaits(stream: WorkItem['stream']): boolean {
    return this.#ready.some((item) => item.stream === stream);
  }

  /** The oldest that may begin; those that are taken already are dropped on the way. */
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
