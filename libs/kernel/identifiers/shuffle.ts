/** As many as FF1 (NIST SP 800-38G) has; what a round mixes in is drawn from a key, not computed. */
const ROUNDS = 10;
const BYTES_PER_DRAW = 4;
/** What is drawn, below its root, fits 16 bits. */
const SIZE_MAX = 2 ** 32;

/**
 * A bijection of the whole numbers below `size`, in an order that tells nothing without the key: a Feistel network over two halves of the least width
 * that holds them, whose round functions are tables drawn from key stream, walked on while it leaves the range (NIST SP 800-38G; Black and Rogaway,
 * "Ciphers with arbitrary finite domains"). Some tens of nanoseconds a number, and ten tables of as many numbers as the root of `size`.
 */
export class Shuffle {
  readonly #size: number;
  readonly #width: number;
  readonly #rounds: readonly Uint16Array[];

  /**
   * @param size at most 2^32
   * @param keyStream that many bytes, the same for the same key and indistinguishable from chance
   * @throws RangeError for another size
   */
  constructor(size: number, keyStream: (bytes: number) => Uint8Array) {
    if (!Number.isInteger(size) || size < 1 || size > SIZE_MAX) throw new RangeError(`no size from 1 to ${SIZE_MAX}`);
    this.#size = size;
    this.#width = Math.max(Math.ceil(Math.sqrt(size)), 1);
    const drawn = keyStream(ROUNDS * this.#width * BYTES_PER_DRAW);
    const view = new DataView(drawn.buffer, drawn.byteOffset, drawn.byteLength);
    this.#rounds = Array.from({ length: ROUNDS }, (_, round) =>
      Uint16Array.from(
        { length: this.#width },
        (_value, index) => view.getUint32((round * this.#width + index) * BYTES_PER_DRAW, true) % this.#width,
      ),
    );
  }

  /** @throws RangeError for what is no whole number below the size */
  shuffled(value: number): number {
    this.assertInRange(value);
    let walked = this.there(value);
    while (walked >= this.#size) walked = this.there(walked);
    return walked;
  }

  /** The number that `shuffled` made it of. @throws RangeError as `shuffled` */
  restored(value: number): number {
    this.assertInRange(value);
    let walked = this.back(value);
    while (walked >= this.#size) walked = this.back(walked);
    return walked;
  }

  private assertInRange(value: number): void {
    if (!Number.isInteger(value) || value < 0 || value >= this.#size) throw new RangeError(`no whole number below ${this.#size}`);
  }

  private there(value: number): number {
    const width = this.#width;
    let left = Math.floor(value / width);
    let right = value % width;
    for (const drawn of this.#rounds) {
      const mixed = left + (drawn[right] ?? 0);
      left = right;
      right = mixed < width ? mixed : mixed - width;
    }
    return left * width + right;
  }

  private back(value: number): number {
    const width = this.#width;
    let left = Math.floor(value / width);
    let right = value % width;
    for (let round = ROUNDS - 1; round >= 0; round--) {
      const mixed = right - (this.#rounds[round]?.[left] ?? 0);
      right = left;
      left = mixed < 0 ? mixed + width : mixed;
    }
    return left * width + right;
  }
}
