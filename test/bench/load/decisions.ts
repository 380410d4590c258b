/** What the decision program is asked for: so many decisions of one kind, made once before by as many of another round. */
export interface DecisionsAsked {
  readonly kind: 'screening' | 'cascade';
  readonly decisions: number;
}

export interface DecisionsMade {
  readonly decisions: number;
  readonly elapsedMs: number;
  /** Of screening: orders that broke a rule, by the rule; of a cascade: how many ended declined. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Rules of an entry point that blocks much. */
export const BLOCKED_BINS = 1_000;
export const BLOCKED_ADDRESS_RANGES = 1_000;
export const BLOCKED_COUNTRIES = 30;
/** A plan that is tried to its end: every gate for every amount. */
export const CASCADE_GATES = 3;
export const CASCADE_AMOUNTS = 3;
/** A start and an answer for each attempt of that plan. */
export const DECISIONS_PER_CASCADE = 2 * CASCADE_GATES * CASCADE_AMOUNTS;
