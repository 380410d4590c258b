import type { Instant } from '@app/kernel';
import type { WorkItem } from '../open-work';
import type { Lane } from './lane';
import type { LaneTurns } from './lane-turns';

interface Held {
  readonly lane: Lane;
  readonly dueAt: Instant;
  until: Instant;
}

/** Items that finished a moment ago and that the memory still lists unchanged. One that it lists with another time is new work, and is not held. */
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
    this.#held.set(item.key, { lane, dueAt: item.dueAt, until });
  }

  /** Ends the hold of this item earlier, unless it was held anew since with another time. */
  shorten({ key, dueAt }: WorkItem, until: Instant): void {
    const held = this.#held.get(key);
    if (held?.dueAt === dueAt && until < held.until) held.until = until;
  }

  release(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    held.lane.held -= 1;
    this.#lanes.forgetIfDone(held.lane);
  }

  releaseOver(now: Instant): void {
    for (const [key, { until }] of this.#held) if (until <= now) this.release(key);
  }

  releaseAll(): void {
    for (const key of [...this.#held.keys()]) this.release(key);
  }
}
