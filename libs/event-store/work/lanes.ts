import type { Instant } from '@app/kernel';
import type { WorkItem, WorkPlace } from './open-work';

/** The items of one partition key, read from the work table page by page. */
export class Lane {
  readonly name: string;
  running = 0;
  /** Finished items whose events are not projected yet, so that the work table still lists them. */
  unprojected = 0;
  /** Whether the work table may list due items after `after`. */
  mayHaveMore = false;
  after: WorkPlace | undefined;
  readFromStartAt = -Infinity;
  #ready: WorkItem[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get hasWork(): boolean {
    return this.mayHaveMore || this.#ready.length > 0;
  }

  get isEmpty(): boolean {
    return this.running === 0 && this.unprojected === 0 && !this.hasWork;
  }

  /** Items that were skipped keep their place, unless the page starts at the first item and so lists them again. */
  add(page: readonly WorkItem[], mayHaveMore: boolean): void {
    this.#ready = this.after === undefined ? [...page] : [...this.#ready, ...page];
    this.mayHaveMore = mayHaveMore;
  }

  readAgain(mayHaveMore: boolean): void {
    this.after = undefined;
    this.add([], mayHaveMore);
  }

  /** Where the next page starts. From time to time at the first item, because items can become due before those already read. */
  pageFrom(now: Instant, restartMs: number): WorkPlace | undefined {
    if (now - this.readFromStartAt >= restartMs) this.after = undefined;
    if (this.after === undefined) this.readFromStartAt = now;
    return this.after;
  }

  next(isTaken: (item: WorkItem) => boolean, mayBegin: (item: WorkItem) => boolean): WorkItem | undefined {
    for (let index = 0; index < this.#ready.length;) {
      const item = this.#ready[index];
      if (item === undefined) break;
      const isGone = isTaken(item);
      if (isGone || mayBegin(item)) this.#ready.splice(index, 1);
      else index += 1;
      if (!isGone && mayBegin(item)) return item;
    }
    return undefined;
  }
}

/** Lanes in memory. The others wait in the work table, so that any number of lanes costs the same. */
export const LANES_MAX = 1_024;

/**
 * Lanes take turns, those without running items first. A lane with work is idle, busy or blocked; it keeps its turn while its next page is
 * read.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #idle = new Set<Lane>();
  readonly #busy = new Set<Lane>();
  readonly #unread = new Set<Lane>();
  readonly #blocked = new Set<Lane>();

  get idle(): Iterable<Lane> {
    return this.#idle;
  }

  get busy(): Iterable<Lane> {
    return this.#busy;
  }

  get isFull(): boolean {
    return this.#idle.size >= LANES_MAX;
  }

  get mustRead(): boolean {
    return this.#unread.size > 0;
  }

  unread(limit: number): readonly Lane[] {
    return [...this.#unread].slice(0, limit);
  }

  of(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (lane === undefined) this.#lanes.set(name, (lane = new Lane(name)));
    return lane;
  }

  found(name: string): void {
    const lane = this.of(name);
    lane.mayHaveMore = true;
    if (!this.#idle.has(lane)) this.enqueue(lane);
  }

  isUnread(lane: Lane): boolean {
    return this.#unread.has(lane);
  }

  wasRead(lane: Lane): void {
    this.#unread.delete(lane);
    if (!lane.hasWork) this.enqueue(lane);
  }

  enqueue(lane: Lane): void {
    this.#put(lane, lane.running === 0 ? this.#idle : this.#busy);
  }

  passTurn(lane: Lane): void {
    this.#busy.delete(lane);
    this.enqueue(lane);
  }

  /** It can start nothing now. With more to read it is read on, otherwise it waits until something has changed. */
  leave(lane: Lane, isFull = false): void {
    if (lane.mayHaveMore && !isFull) this.#unread.add(lane);
    else this.#put(lane, this.#blocked);
  }

  drop(lane: Lane): void {
    lane.readAgain(false);
    this.#put(lane, this.#blocked);
  }

  tryAgain(): void {
    for (const lane of [...this.#blocked]) this.enqueue(lane);
  }

  #put(lane: Lane, queue: Set<Lane>): void {
    if (!queue.has(lane)) for (const other of [this.#idle, this.#busy, this.#blocked]) other.delete(lane);
    if (lane.hasWork) return void queue.add(lane);
    queue.delete(lane);
    this.#unread.delete(lane);
    if (lane.isEmpty) this.#lanes.delete(lane.name);
  }
}
