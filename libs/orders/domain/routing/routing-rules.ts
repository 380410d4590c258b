import type { CardBrand, Currency, GateAlias, NonEmpty, Weekday, Instant, Money } from '@app/kernel';

/** An absent condition always holds. */
export interface RoutingConditions {
  /** Six digits, or two such values and a dash for an inclusive range. */
  readonly bins?: readonly string[];
  /** The issuer's, ISO 3166 alpha-3. */
  readonly countries?: readonly string[];
  readonly brands?: readonly CardBrand[];
  readonly currencies?: readonly Currency[];
  readonly amountFromMinor?: bigint;
  readonly amountToMinor?: bigint;
  /** `hh:mm` in UTC, the end exclusive; an end not later than the start is on the next day. */
  readonly from?: string;
  readonly to?: string;
  readonly days?: readonly Weekday[];
}

export interface Share {
  readonly gate: GateAlias;
  readonly weight: number;
}

export type RoutingChoice =
  | { readonly kind: 'cascade'; readonly gates: NonEmpty<GateAlias> }
  | { readonly kind: 'split'; readonly shares: NonEmpty<Share>; readonly stickyByCustomer: boolean }
  | { readonly kind: 'least-commission'; readonly gates: NonEmpty<GateAlias> };

export interface RoutingRule {
  readonly name: string;
  readonly when: RoutingConditions;
  readonly choice: RoutingChoice;
}

/** Used if none of the entry point's rules held, or it has none. */
export const DEFAULT_RULE = 'default';

/**
 * In the same append as the refusal, so that the choice is read from the log and not from today's rules (protocol decisions, section 7; architecture,
 * rules 7 and 11).
 */
export type NextAttemptChosen = {
  readonly type: 'NextAttemptChosen';
  readonly data: {
    readonly gate: GateAlias;
    readonly amountNumber: number;
    readonly amount: Money;
    readonly chosenAt: Instant;
  };
};

/** Recorded before the first order that names the version. */
export type RoutingRulesRecorded = {
  readonly type: 'RoutingRulesRecorded';
  readonly data: { readonly rules: readonly RoutingRule[]; readonly recordedAt: Instant };
};

/**
 * How the gates of a plan were chosen, with the inputs, so that the decision can be replayed. Nothing in it names the customer: a sticky split has
 * only the draws from the customer's keyed digest.
 */
export interface ChosenRoute {
  /** Absent if the entry point has no rules and a gate was left out. */
  readonly rulesVersion?: string;
  /** The rule that held; `default` if none did. */
  readonly rule: string;
  readonly bin?: string;
  readonly brand?: string;
  /** Alpha-3; absent if no gate of the entry point knows it. */
  readonly country?: string;
  /** In cascade order. */
  readonly able: readonly GateAlias[];
  /** For a split: whether the customer or chance decided, and the draws. */
  readonly drawnBy?: 'customer' | 'chance';
  readonly draws?: readonly { readonly gate: GateAlias; readonly draw: number }[];
  readonly commissions?: readonly { readonly gate: GateAlias; readonly commissionMinor: bigint }[];
  readonly leftOut?: readonly GateAlias[];
  /** Gates that could have served the order, but were held by an operator; not in `able`. */
  readonly heldGates?: readonly GateAlias[];
  readonly chosenAt: Instant;
}
