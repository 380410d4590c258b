import type { CardBrand, Currency, GateAlias, NonEmpty, Weekday } from '@app/kernel';

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
