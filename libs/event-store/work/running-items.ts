import type { StreamName } from '../core/port';
import type { WorkItem } from './open-work';
import type { Lane } from './lane';

export interface RunningItemsLimits {
  /** Half is shared by all lanes; the other half is reserved for lanes without running items, one item each. */
  readonly inFlightMax?: number | undefined;
  readonly inFlightPerLaneMax?: number | undefined;
  /** Count of a lane's items that run elsewhere. They take room of the lane. */
  readonly busyElsewhere?: ((lane: string) => number) | undefined;
}

const IN_FLIGHT_MAX = 512;
const IN_FLIGHT_PER_LANE_MAX = 16;

/**
 * The items that run now, and the room for more. A lane may run no more items than there is room left for others, so that each lane's share shrinks as more
 * are busy, and a lane without running items finds room even while all others hang (architecture, rule 9).
 */
export class RunningItems {
  readonly max: number;
  readonly #sharedMax: number;
  readonly #perLaneMax: number;
  readonly #busyElsewhere: ((lane: string) => number) | undefined;
  readonly #keys = new Set<string>();
  readonly #streams = new Set<StreamName>();

  constructor({ inFlightMax, inFlightPerLaneMax, busyElsewhere }: RunningItemsLimits) {
    this.max = inFlightMax ?? IN_FLIGHT_MAX;
    this.#sharedMax = Math.ceil(this.max / 2);
    this.#perLaneMax = inFlightPerLaneMax ?? IN_FLIGHT_PER_LANE_MAX;
    this.#busyElsewhere = busyElsewhere;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Whether a lane without running items may begin one. */
  get hasRoom(): boolean {
    return this.#keys.size < this.max;
  }

  /** Whether any lane with running items may begin one more; such a lane already runs one item, which counts against its share. */
  get hasSharedRoom(): boolean {
    return this.#keys.size + 1 < this.#sharedMax;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  isBusy(stream: StreamName): boolean {
    return this.#streams.has(stream);
  }

  isFull({ name, inFlight }: Lane): boolean {
    return inFlight + (this.#busyElsewhere?.(name) ?? 0) >= this.#perLaneMax;
  }

  hasRoomFor(lane: Lane): boolean {
    const { inFlight } = lane;
    if (inFlight === 0) return this.hasRoom;
    if (this.isFull(lane)) return false;
    return inFlight < Math.min(this.#perLaneMax, this.#sharedMax - this.#keys.size);
  }

  begin(lane: Lane, { key, stream }: WorkItem): void {
    this.#keys.add(key);
    this.#streams.add(stream);
    lane.inFlight += 1;
  }

  end({ key, stream }: WorkItem): void {
    this.#keys.delete(key);
    this.#streams.delete(stream);
  }
}
