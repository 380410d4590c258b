import { ORDER_NUMBER_FIRST, ORDER_NUMBER_LAST, type OrderId, type OrderKind } from './ids';
import { Shuffle } from './shuffle';

/** Share of each kind in every eight consecutive numbers of the unshuffled range; initial payments are the most frequent. */
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

/** Maximum of numeric order ids of a kind. */
export const orderNumbersOf = (kind: OrderKind): number => (RANGE / ROW) * partOf(kind).share;

/**
 * Order ids that are numbers of ten digits, for shops that keep them in an integer column. The place of an order among those of its kind is shuffled
 * under a key, so that only the holder of the key can read the kind from the number.
 */
export class OrderNumbers {
  #shuffle: Shuffle | undefined;

  /** @param keyStream as in `Shuffle`; the key must never change, or numbers would be issued again to other orders */
  constructor(private readonly keyStream: (bytes: number) => Uint8Array) {}

  /** Makes the tables of the shuffle, which takes some 50 ms, before a request needs them. */
  prepare(): void {
    this.#prepared();
  }

  /** @param place from 0, below `orderNumbersOf(kind)`. @throws RangeError otherwise */
  numberAt(kind: OrderKind, place: number): OrderId {
    if (!Number.isInteger(place) || place < 0 || place >= orderNumbersOf(kind)) throw new RangeError(`no place of a ${kind}`);
    const { offset, share } = partOf(kind);
    const unshuffled = Math.floor(place / share) * ROW + offset + (place % share);
    return String(ORDER_NUMBER_FIRST + this.#prepared().shuffled(unshuffled)) as OrderId;
  }

  /** @param id a number of ten digits within the range; each number belongs to one kind, issued or not */
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
