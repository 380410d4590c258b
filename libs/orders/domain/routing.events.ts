import type { GateAlias, Instant, Money } from '@app/kernel';
import type { RoutingRule } from './routing/routing-rules';

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
