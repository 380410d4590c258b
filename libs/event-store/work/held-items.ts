import type { Instant } from '@app/kernel';
import type { WorkItem } from './open-work';
import type { Lane } from './lane';
import type { LaneTurns } from './lane-turns';

interface Held {
  readonly lane: Lane;
  readonly dueAt: Instant;
  until: Instant;
  /** Whether the memory is taken to list it still. */
  isListed: boolean;
}

/** Items that finished or failed and that the memory may still list unchanged. One that it lists with another time is new work, and is not held. */
export class HeldItems {
  readonly #lanes: LaneTurns;
  readonly #held = new Map<string, Held>();

  constructor(lanes: LaneTurns) {
    this.#lanes = lanes;
  }

  /** When the hold of this item ends; undefined where it is not held. */
  untilOf({ key, dueAt }: WorkItem): Instant | undefined {
    const held = this.#held.get(key);
    return held?.dueAt === dueAt ? held.until : undefined;
  }

  hold(item: WorkItem, until: Instant): void {
    this.release(item.key);
    const lane = this.#lanes.of(item.lane);
    lane.held += 1;
    lane.listedDone += 1;
    this.#held.set(item.key, { lane, dueAt: item.dueAt, until, isListed: true });
  }

  /** The memory has folded what this item stored, unless it was held anew since with another time: the hold ends earlier. */
  folded({ key, dueAt }: WorkItem, until: Instant): void {
    const held = this.#held.get(key);
    if (held?.dueAt !== dueAt) return;
    if (until < held.until) held.until = until;
    unlist(held);
  }

  release(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    held.lane.held -= 1;
    unlist(held);
    this.#lanes.forgetIfDone(held.lane);
  }

  releaseOver(now: Instant): void {
    for (const [key, { until }] of this.#held) if (until <= now) this.release(key);
  }

  releaseAll(): void {
    for (const key of [...this.#held.keys()]) this.release(key);
  }
}

/** A read of the lane counts those that the memory lists all the same. */
const unlist = (held: Held): void => {
  const { lane } = held;
  if (held.isListed) lane.listedDone -= 1;
  held.isListed = false;
  // A read may have counted fewer since.
  lane.listedDone = Math.max(0, Math.min(lane.listedDone, lane.held));
};
