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

/** Lanes of one page, and of those that wait for room. No page is read while so many wait, so that there are never twice as many. */
export const LANES_MAX = 1_024;

/** The lanes of a reactor in the order of their turns. A lane is known while it has work or something of it is running or held. */
export class LaneTurns {
  readonly #onDeferred: () => void;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with work to begin, those without running items and those with some, each in the order of their turns. */
  readonly #idle = new Set<Lane>();
  readonly #busy = new Set<Lane>();
  /** Lanes with room whose items must be read first; they keep their turn meanwhile. */
  readonly #unread = new Set<Lane>();
  /** Lanes whose every ready item waits for its stream. */
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

  /** Whether so many lanes wait that no more should be found. */
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

  /** Queues a lane that the memory listed; a lane that is queued keeps its turn. */
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

  /** Moves a lane that had its turn to the end of its queue, where a loop over that queue still reaches it. */
  passTurn(lane: Lane): void {
    this.#dequeue(lane);
    this.#enqueue(lane);
  }

  /** Takes a lane that has nothing to begin out of the turns. */
  leave(lane: Lane): void {
    this.#dequeue(lane);
    if (lane.hasWork) this.#blocked.add(lane);
    else this.forgetIfDone(lane);
  }

  /** Queues the lanes again that waited for this stream. */
  freeStream(stream: WorkItem['stream']): void {
    for (const blocked of this.#blocked) if (blocked.awaits(stream)) this.#enqueue(blocked);
  }

  /** Queues a lane that has one running item less. */
  itemEnded(lane: Lane): void {
    lane.inFlight -= 1;
    if (!this.#blocked.has(lane)) this.#enqueue(lane);
  }

  /** Forgets what was read of the lane until a later round finds it again. */
  drop(lane: Lane): void {
    lane.readAnew([], false);
    this.#dequeue(lane);
    this.forgetIfDone(lane);
  }

  forgetIfDone(lane: Lane): void {
    if (lane.isEmpty) this.#lanes.delete(lane.name);
  }

  /** A lane that is queued keeps its turn. Where very many lanes wait, one that had its turn is dropped in favour of lanes that are not yet known. */
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
