import type { WorkItem } from './open-work';

export class Lane {
  readonly name: string;
  inFlight = 0;
  /** Items that must not start again yet, even if the work table lists them. */
  held = 0;
  listedDone = 0;
  mayHaveMore = false;
  #ready: WorkItem[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get hasWork(): boolean {
    return this.mayHaveMore || this.#ready.length > 0;
  }

  get isEmpty(): boolean {
    return this.inFlight === 0 && this.held === 0 && !this.hasWork;
  }

  get listedBefore(): number {
    return this.inFlight + this.listedDone + this.#ready.length;
  }

  readAgain(items: readonly WorkItem[], mayHaveMore: boolean): void {
    this.#ready = [...items];
    this.mayHaveMore = mayHaveMore;
  }

  awaits(stream: WorkItem['stream']): boolean {
    return this.#ready.some((item) => item.stream === stream);
  }

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

/** Maximum of lanes per page, and of waiting lanes. No page is read while this many wait. */
export const LANES_MAX = 1_024;

/** The lanes of a reactor in round-robin order. A lane is forgotten when it has no work and no running or held items. */
export class LaneRoundRobin {
  readonly #onDeferred: () => void;
  readonly #lanes = new Map<string, Lane>();
  readonly #idle = new Set<Lane>();
  readonly #busy = new Set<Lane>();
  readonly #unread = new Set<Lane>();
  readonly #blocked = new Set<Lane>();

  /** @param onDeferred a lane with work was forgotten because too many wait; a later round must find it again */
  constructor(onDeferred: () => void) {
    this.#onDeferred = onDeferred;
  }

  get idle(): ReadonlySet<Lane> {
    return this.#idle;
  }

  get busy(): ReadonlySet<Lane> {
    return this.#busy;
  }

  get unread(): ReadonlySet<Lane> {
    return this.#unread;
  }

  get isFull(): boolean {
    return this.#idle.size >= LANES_MAX;
  }

  of(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = new Lane(name);
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  found(name: string): void {
    const lane = this.of(name);
    lane.mayHaveMore = true;
    this.#enqueue(lane, true);
  }

  wasRead(lane: Lane): void {
    this.#unread.delete(lane);
    this.#enqueue(lane);
  }

  mustRead(lane: Lane): void {
    this.#unread.add(lane);
  }

  passTurn(lane: Lane): void {
    this.#dequeue(lane);
    this.#enqueue(lane);
  }

  leave(lane: Lane): void {
    this.#dequeue(lane);
    if (lane.hasWork) this.#blocked.add(lane);
    else this.forgetIfDone(lane);
  }

  freeStream(stream: WorkItem['stream']): void {
    for (const blocked of this.#blocked) if (blocked.awaits(stream)) this.#enqueue(blocked);
  }

  itemEnded(lane: Lane): void {
    lane.inFlight -= 1;
    if (!this.#blocked.has(lane)) this.#enqueue(lane);
  }

  drop(lane: Lane): void {
    lane.readAgain([], false);
    this.#dequeue(lane);
    this.forgetIfDone(lane);
  }

  forgetIfDone(lane: Lane): void {
    if (lane.isEmpty) this.#lanes.delete(lane.name);
  }

  /** A queued lane keeps its turn. If too many lanes wait, one that had its turn is dropped in favour of unknown lanes. */
  #enqueue(lane: Lane, isFound = false): void {
    this.#blocked.delete(lane);
    if (!lane.hasWork) {
      this.#dequeue(lane);
      this.forgetIfDone(lane);
    } else if (lane.inFlight === 0) {
      this.#busy.delete(lane);
      if (this.#idle.size < LANES_MAX || isFound || this.#idle.has(lane)) this.#idle.add(lane);
      else this.#defer(lane);
    } else {
      this.#idle.delete(lane);
      this.#busy.add(lane);
    }
  }

  #defer(lane: Lane): void {
    this.#onDeferred();
    this.drop(lane);
  }

  #dequeue(lane: Lane): void {
    this.#idle.delete(lane);
    this.#busy.delete(lane);
    this.#unread.delete(lane);
  }
}
