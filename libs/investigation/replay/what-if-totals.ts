import type { Money } from '@app/kernel';
import { WHAT_IF_CLASSES, type DecidedAgain, type WhatIfClass } from './decide-again';
import type { NotKnown } from './walk-again';

/** What one rule does to the orders of one currency. Amounts are minor units. */
export interface RuleTotals {
  readonly by: string;
  readonly currency: string;
  readonly orders: number;
  /** What was approved of them. */
  readonly wasMinor: bigint;
  /** What would be, of those whose end is known. */
  readonly wouldMinor: bigint;
  /** Orders whose end cannot be known, what of them was approved, and what they asked for. */
  readonly notKnown: number;
  readonly notKnownWasMinor: bigint;
  readonly notKnownAskedMinor: bigint;
}

type Draft = { -readonly [Member in keyof RuleTotals]: RuleTotals[Member] };

/** Rules and currencies that are told apart; more fall under one name. */
const ROWS_MAX = 10_000;
const OTHERS = 'others';

const approvedMinor = (end: { readonly kind: string; readonly amount?: Money }): bigint =>
  end.kind === 'approved' ? (end.amount?.minor ?? 0n) : 0n;

/** Adds up what differs: by the rule that makes the difference, and by class. */
export class WhatIfTotals {
  readonly classes: Record<WhatIfClass, number>;
  readonly notKnown = new Map<NotKnown, number>();
  drawnAnew = 0;
  readonly #rows = new Map<string, Draft>();

  constructor() {
    this.classes = Object.fromEntries(WHAT_IF_CLASSES.map((name) => [name, 0])) as Record<WhatIfClass, number>;
  }

  add(decided: DecidedAgain): void {
    this.classes[decided.class] += 1;
    if (decided.isDrawnAnew) this.drawnAnew += 1;
    if (decided.class === 'same') return;
    const { order, was, would, by } = decided;
    if (would.kind === 'cannot-know') this.notKnown.set(would.why, (this.notKnown.get(would.why) ?? 0) + 1);
    if (by === undefined) return;
    const row = this.#row(by, order.amount.currency);
    row.orders += 1;
    if (would.kind === 'cannot-know') {
      row.notKnown += 1;
      row.notKnownWasMinor += approvedMinor(was);
      row.notKnownAskedMinor += order.amount.minor;
    } else {
      row.wasMinor += approvedMinor(was);
      row.wouldMinor += approvedMinor(would);
    }
  }

  /** The rules with most orders first. */
  rules(): readonly RuleTotals[] {
    return [...this.#rows.values()].toSorted((a, b) => b.orders - a.orders || (a.by < b.by ? -1 : 1));
  }

  #row(by: string, currency: string): Draft {
    const name = this.#rows.size < ROWS_MAX || this.#rows.has(`${by} ${currency}`) ? by : OTHERS;
    const key = `${name} ${currency}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = { by: name, currency, orders: 0, wasMinor: 0n, wouldMinor: 0n, notKnown: 0, notKnownWasMinor: 0n, notKnownAskedMinor: 0n };
      this.#rows.set(key, row);
    }
    return row;
  }
}
