/** The question to the decision program: so many decisions of one kind, after as many of another round to warm up. */
export interface DecisionsAsked {
  readonly kind: 'screening' | 'routing' | 'cascade';
  readonly decisions: number;
}

export interface DecisionsMade {
  readonly decisions: number;
  readonly elapsedMs: number;
  /** For screening: orders that broke a rule, by the rule; for routing: orders by the rule that held; for a cascade: how many ended declined. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** The rules of an entry point that blocks much. */
export const BLOCKED_BINS = 1_000;
export const BLOCKED_ADDRESS_RANGES = 1_000;
export const BLOCKED_COUNTRIES = 30;
/** An entry point that routes by much: each rule but the last names so many ranges. */
export const ROUTING_RULES = 20;
export const ROUTING_BIN_RANGES = 200;
/** A plan that is tried to its end: every gate for every amount. */
export const CASCADE_GATES = 3;
export const CASCADE_AMOUNTS = 3;
/** A start and an answer for each attempt of that plan. */
export const DECISIONS_PER_CASCADE = 2 * CASCADE_GATES * CASCADE_AMOUNTS;
