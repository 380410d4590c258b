import type { CardBrand, Currency, GateAlias, NonEmpty, Weekday, Instant, Money } from '@app/kernel';

/** The conditions of a rule, as its entry point's configuration gave them; one that is absent holds always. */
export interface RoutingConditions {
  /** Six digits, or two of them and a dash for a range with both ends. */
  readonly bins?: readonly string[];
  /** The issuer's, ISO 3166 alpha-3. */
  readonly countries?: readonly string[];
  readonly brands?: readonly CardBrand[];
  readonly currencies?: readonly Currency[];
  /** Both ends included. */
  readonly amountFromMinor?: bigint;
  readonly amountToMinor?: bigint;
  /** `hh:mm` in UTC, the second excluded; the time goes on over midnight where it is not later than the first. */
  readonly from?: string;
  readonly to?: string;
  /** The day of the moment itself, in UTC. */
  readonly days?: readonly Weekday[];
}

/** A gate's weight in a split. */
export interface Share {
  readonly gate: GateAlias;
  readonly weight: number;
}

/** Which gates an order tries, and in which order. */
export type RoutingChoice =
  | { readonly kind: 'cascade'; readonly gates: NonEmpty<GateAlias> }
  | { readonly kind: 'split'; readonly shares: NonEmpty<Share>; readonly stickyByCustomer: boolean }
  | { readonly kind: 'least-commission'; readonly gates: NonEmpty<GateAlias> };

export interface RoutingRule {
  readonly name: string;
  readonly when: RoutingConditions;
  readonly choice: RoutingChoice;
}

/** The rule's name where none of the entry point's rules held, or where it has none. */
export const DEFAULT_RULE = 'default';

/**
 * The attempt that follows a refused one. It is the counterpart of the final events and in the same append as the refusal, so that the choice is read
 * from the log and not from today's rules (protocol decisions, section 7; architecture, rules 7 and 11).
 */
export type NextAttemptChosen = {
  readonly type: 'NextAttemptChosen';
  readonly data: {
    readonly gate: GateAlias;
    /** Counts from 1 over the plan's amounts. */
    readonly amountNumber: number;
    readonly amount: Money;
    readonly chosenAt: Instant;
  };
};

/** Rules under the version that the routes of orders name, recorded before the first order that names them. */
export type RoutingRulesRecorded = {
  readonly type: 'RoutingRulesRecorded';
  readonly data: { readonly rules: readonly RoutingRule[]; readonly recordedAt: Instant };
};

/**
 * How the gates of an order's plan were chosen, with the inputs, so that history can be decided again; the amount and its currency are the order's.
 * Nothing in it names the customer: a sticky split has only the draws that the customer's keyed digest made.
 */
export interface ChosenRoute {
  /** Version of the entry point's rules, recorded under that name; absent where it has none and a gate was left out. */
  readonly rulesVersion?: string;
  /** The name of the rule that held; `default` where none did. */
  readonly rule: string;
  /** As far as the card shows it. Absent for a card that the merchant server names later. */
  readonly bin?: string;
  readonly brand?: string;
  /** The issuer's, ISO 3166 alpha-3; absent where no gate of the entry point knows it. */
  readonly country?: string;
  /** The entry point's gates that could serve the order, in the order of its cascade. */
  readonly able: readonly GateAlias[];
  /** For a split: whose chance it was, and its draws. */
  readonly drawnBy?: 'customer' | 'chance';
  readonly draws?: readonly { readonly gate: GateAlias; readonly draw: number }[];
  /** For a choice by commission: minor units of the order's currency. */
  readonly commissions?: readonly { readonly gate: GateAlias; readonly commissionMinor: bigint }[];
  /** Gates that the order would have tried, left out because their circuit was open; absent where there were none. */
  readonly leftOut?: readonly GateAlias[];
  readonly chosenAt: Instant;
}
