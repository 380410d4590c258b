import type { CallsUnderWay } from './calls-under-way';

/** Calls that outlived their time take the room of their lane until they end. */
export class GateRoom {
  readonly #underWay: Pick<CallsUnderWay, 'overdueIn'>;
  #onRoom = (): void => undefined;

  constructor(underWay: Pick<CallsUnderWay, 'overdueIn'>) {
    this.#underWay = underWay;
  }

  busyElsewhere(lane: string): number {
    return this.#underWay.overdueIn(lane);
  }

  /** Called when a lane has more of it. One listener. */
  tell(onRoom: () => void): void {
    this.#onRoom = onRoom;
  }

  changed(): void {
    this.#onRoom();
  }
}
