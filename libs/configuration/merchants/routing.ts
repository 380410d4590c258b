import type { CardBrand, Currency, GateAlias, NonEmpty, Weekday } from '@app/kernel';

/** The gates that one order may try, at most. */
export const CASCADE_GATES_MAX = 16;

/** The name under which an order is told whose entry point has no rule that held. */
export const DEFAULT_RULE = 'default';

/** A rule holds where all of its conditions do; one that is absent holds always, one about something that is not known never does. */
interface RoutingConditions {
  /** First six digits, or two of them and a dash for a range with both ends. */
  readonly bins?: readonly string[];
  /** The issuer's, ISO 3166 alpha-3. */
  readonly countries?: readonly string[];
  readonly brands?: readonly CardBrand[];
  readonly currencies?: readonly Currency[];
  /** Minor units, both ends included. */
  readonly amountFromMinor?: bigint;
  readonly amountToMinor?: bigint;
  /** `hh:mm` in UTC; the second is excluded. Where it is not later than the first, the time goes on over midnight. */
  readonly from?: string;
  readonly to?: string;
  /** The day of the moment itself, in UTC, also where the time goes on over midnight. */
  readonly days?: readonly Weekday[];
}

/** Which gates of the entry point an order tries, and in which order. */
export type RoutingChoice =
  | { readonly kind: 'cascade'; readonly gates: NonEmpty<GateAlias> }
  /** One gate is drawn by weight; the others follow, the heavier first. A sticky draw is the same for every order of a customer. */
  | {
      readonly kind: 'split';
      readonly shares: NonEmpty<{ readonly gate: GateAlias; readonly weight: number }>;
      readonly stickyByCustomer: boolean;
    }
  /** The gate with the least commission for the amount goes first; of two that are equal, the one that is listed first. */
  | { readonly kind: 'least-commission'; readonly gates: NonEmpty<GateAlias> };

/** A named rule of an entry point's routing. */
export interface RoutingRule {
  readonly name: string;
  readonly when: RoutingConditions;
  readonly choice: RoutingChoice;
}
