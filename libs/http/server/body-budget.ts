const MIB = 1_048_576;
/** Bytes of bodies that a process holds at a time: of those that are being read, and of those whose requests are not answered yet. */
export const BODY_BUDGET_BYTES = 64 * MIB;
/** A body of at most so many bytes is a short one. */
const SHORT_BODY_BYTES_MAX = 16_384;
/** What long bodies leave to the short ones: who fills the budget with long ones that never end keeps nobody from asking for an order's status. */
const SHORT_BODIES_SHARE = 0.25;

/** How many bytes of bodies a process may hold. A connection costs its sender nothing: without a sum over all of them each limit is ten thousand times itself. */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #longBytesMax: number;
  #held = 0;

  constructor(bytesMax: number = BODY_BUDGET_BYTES) {
    this.#bytesMax = bytesMax;
    this.#longBytesMax = bytesMax * (1 - SHORT_BODIES_SHARE);
  }

  /** Bytes held at the moment. */
  get held(): number {
    return this.#held;
  }

  /**
   * Takes up bytes that came in; false where there is no room for them.
   * @param ofBody how many of its bytes have come with these
   */
  take(bytes: number, ofBody: number): boolean {
    const after = this.#held + bytes;
    if (after > (ofBody > SHORT_BODY_BYTES_MAX ? this.#longBytesMax : this.#bytesMax)) return false;
    this.#held = after;
    return true;
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
  }
}

/** Of this process, whatever ports it listens on. */
export const processBodies = new BodyBudget();
