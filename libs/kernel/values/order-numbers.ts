import { ORDER_NUMBER_FIRST, ORDER_NUMBER_LAST, type OrderId, type OrderKind } from './ids';

/** As in FF1 (NIST SP 800-38G), with tables drawn from the key. */
const ROUNDS = 10;
const BYTES_PER_DRAW = 4;
const SIZE_MAX = 2 ** 32;

/**
 * A keyed permutation of the whole numbers below `size`: a Feistel network with cycle walking (NIST SP 800-38G; Black
 * and Rogaway, "Ciphers with arbitrary finite domains").
 */
export class Shuffle {
  readonly #size: number;
  readonly #width: number;
  readonly #rounds: readonly Uint16Array[];

  /**
   * @param size at most 2^32
   * @param keyStream deterministic for a key, and indistinguishable from random
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

  /** @throws RangeError if the value is not a whole number below the size */
  shuffled(value: number): number {
    this.assertInRange(value);
    let walked = this.forwards(value);
    while (walked >= this.#size) walked = this.forwards(walked);
    return walked;
  }

  restored(value: number): number {
    this.assertInRange(value);
    let walked = this.backwards(value);
    while (walked >= this.#size) walked = this.backwards(walked);
    return walked;
  }

  private assertInRange(value: number): void {
    if (!Number.isInteger(value) || value < 0 || value >= this.#size) throw new RangeError(`no whole number below ${this.#size}`);
  }

  private forwards(value: number): number {
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

  private backwards(value: number): number {
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

/** Shares in every eight consecutive numbers before the shuffle. */
const SHARES: readonly (readonly [kind: OrderKind, share: number])[] = [
  ['payment', 4],
  ['recurring', 2],
  ['deviceVerification', 1],
  ['transfer', 1],
];
const ROW = SHARES.reduce((sum, [, share]) => sum + share, 0);
const RANGE = ORDER_NUMBER_LAST - ORDER_NUMBER_FIRST + 1;
const KIND_AT: readonly OrderKind[] = SHARES.flatMap(([kind, share]) => new Array<OrderKind>(share).fill(kind));

interface Part {
  readonly offset: number;
  readonly share: number;
}
const PARTS: ReadonlyMap<OrderKind, Part> = new Map(
  SHARES.map(([kind, share], index) => [kind, { offset: SHARES.slice(0, index).reduce((sum, [, before]) => sum + before, 0), share }]),
);

const partOf = (kind: OrderKind): Part => {
  const part = PARTS.get(kind);
  if (part === undefined) throw new Error(`no order numbers for the kind ${kind}`);
  return part;
};

export const orderNumbersOf = (kind: OrderKind): number => (RANGE / ROW) * partOf(kind).share;

/**
 * Order ids of ten digits, for shops that store them in an integer column. They are shuffled under a key, so that only
 * its holder can read the kind.
 */
export class OrderNumbers {
  #shuffle: Shuffle | undefined;

  /** @param keyStream as in `Shuffle`; if the key changes, numbers are issued again to other orders */
  constructor(private readonly keyStream: (bytes: number) => Uint8Array) {}

  /** Creates the tables (about 50 ms) before the first request needs them. */
  prepare(): void {
    this.#prepared();
  }

  /**
   * @param place from 0, below `orderNumbersOf(kind)`
   * @throws RangeError otherwise
   */
  numberAt(kind: OrderKind, place: number): OrderId {
    if (!Number.isInteger(place) || place < 0 || place >= orderNumbersOf(kind)) throw new RangeError(`no place of a ${kind}`);
    const { offset, share } = partOf(kind);
    const unshuffled = Math.floor(place / share) * ROW + offset + (place % share);
    return String(ORDER_NUMBER_FIRST + this.#prepared().shuffled(unshuffled)) as OrderId;
  }

  kindOf(id: OrderId): OrderKind {
    const kind = KIND_AT[this.#prepared().restored(Number(id) - ORDER_NUMBER_FIRST) % ROW];
    if (kind === undefined) throw new Error('a row without a kind');
    return kind;
  }

  #prepared(): Shuffle {
    this.#shuffle ??= new Shuffle(RANGE, this.keyStream);
    return this.#shuffle;
  }
}
