const UTF8 = new TextDecoder();
const FIRST_BYTES = 2_048;

/**
 * The body of an answer, copied as it comes: a piece is a view of all that the socket read at once, and would keep that in memory for the one byte that
 * it may be. Its owner limits the length.
 */
export class AnswerBody {
  #space: Uint8Array | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    const end = this.#length + piece.byteLength;
    const space = this.#withSpaceFor(end);
    space.set(piece, this.#length);
    this.#length = end;
  }

  bytes(): Uint8Array {
    return this.#space?.subarray(0, this.#length) ?? new Uint8Array();
  }

  text(): string {
    return UTF8.decode(this.bytes());
  }

  /** Doubled, so that the copies of a body that drips in add up to its length and not to its square. */
  #withSpaceFor(length: number): Uint8Array {
    const held = this.#space;
    if (held !== undefined && held.byteLength >= length) return held;
    const larger = new Uint8Array(Math.max(length, (held?.byteLength ?? 0) * 2, FIRST_BYTES));
    larger.set(this.bytes());
    this.#space = larger;
    return larger;
  }
}
