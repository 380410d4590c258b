import type { Instant } from '@app/kernel';
import type { CountLimit } from '@app/orders/domain';

/** Cards, or entry points, that are counted at one time; beyond that the least recently seen is forgotten, and counts may be too low. */
const CARDS_MAX = 500_000;

const HOUR_MS = 3_600_000;

/** The first index of an ascending list at which a time is later than this one. */
const firstAfter = (times: readonly number[], since: number): number => {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Infinity) > since) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Counts the orders of each card, or of each entry point, as rules with a limit need it and no further back. */
export class CardCounts {
  readonly #times = new Map<string, number[]>();
  readonly #cardsMax: number;
  #isIncomplete = false;

  constructor(cardsMax = CARDS_MAX) {
    this.#cardsMax = cardsMax;
  }

  /** Whether a card was forgotten, so that a count may be too low. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  /** Orders within the limit's time before this moment; of those that are older than the limit's count none is kept. */
  countOf(card: string, { hours }: CountLimit, at: Instant): number {
    const times = this.#times.get(card);
    return times === undefined ? 0 : times.length - firstAfter(times, at - hours * HOUR_MS);
  }

  add(card: string, { count }: CountLimit, at: Instant): void {
    const times = this.#times.get(card) ?? [];
    // The clocks of two processes differ by little; the list stays in order.
    times.push(Math.max(at, times.at(-1) ?? at));
    // Cut now and then, so that a card with very many orders costs no more for each of them.
    if (times.length > 2 * count) times.splice(0, times.length - count);
    this.#times.delete(card);
    this.#times.set(card, times);
    if (this.#times.size <= this.#cardsMax) return;
    const [eldest] = this.#times.keys();
    if (eldest !== undefined) this.#times.delete(eldest);
    this.#isIncomplete = true;
  }
}
