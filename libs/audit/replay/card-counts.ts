import type { Instant } from '@app/kernel';
import type { CountLimit } from '@app/order-processing/domain';

/** Cards that are counted at one time; with more of them the ones not seen for longest are forgotten, and the counts may be too low. */
const CARDS_MAX = 500_000;

const HOUR_MS = 3_600_000;

/** Counts the orders of each card that were let through, as rules with a limit need it and no further back. */
export class CardCounts {
  readonly #times = new Map<string, readonly Instant[]>();
  readonly #cardsMax: number;
  #isIncomplete = false;

  constructor(cardsMax = CARDS_MAX) {
    this.#cardsMax = cardsMax;
  }

  /** Whether a card was forgotten, so that a count may be too low. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  /** Orders within the limit's time before this moment, of which no more than its count are kept. */
  countOf(card: string, { hours }: CountLimit, at: Instant): number {
    const since = at - hours * HOUR_MS;
    return (this.#times.get(card) ?? []).filter((time) => time > since).length;
  }

  add(card: string, { count }: CountLimit, at: Instant): void {
    const times = [...(this.#times.get(card) ?? []), at].slice(-count);
    this.#times.delete(card);
    this.#times.set(card, times);
    if (this.#times.size <= this.#cardsMax) return;
    const [eldest] = this.#times.keys();
    if (eldest !== undefined) this.#times.delete(eldest);
    this.#isIncomplete = true;
  }
}
