const BIN_DIGITS = 6;

interface Range {
  readonly first: number;
  readonly last: number;
}

const rangeOf = (text: string): Range => {
  const [first = '', last = first] = text.split('-');
  return { first: Number(first), last: Number(last) };
};

/** Sorted, and none touches another. */
const merged = (ranges: readonly Range[]): readonly Range[] => {
  const apart: { first: number; last: number }[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = apart.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else apart.push({ first, last });
  }
  return apart;
};

/** Ranges of leading digits, with both ends. A look costs the logarithm of their number: an entry point may have a hundred rules with a thousand each. */
export class BinRanges {
  /** The first of each range and the first behind it, ascending: an odd number of them at or below a number that lies in a range. */
  readonly #edges: Int32Array;

  /** @param texts six digits each, or two of them and a dash */
  constructor(texts: readonly string[]) {
    this.#edges = Int32Array.from(merged(texts.map(rangeOf)).flatMap(({ first, last }) => [first, last + 1]));
  }

  /** @param bin fewer than six digits are known of a number that is too short to show them: those lie in no range */
  has(bin: string): boolean {
    if (bin.length !== BIN_DIGITS) return false;
    const digits = Number(bin);
    const edges = this.#edges;
    let [low, high] = [0, edges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((edges[middle] ?? Infinity) <= digits) low = middle + 1;
      else high = middle;
    }
    return low % 2 === 1;
  }
}
