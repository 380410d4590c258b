import type { Instant, Money, OrderId } from '@app/kernel';

/** The operator's rules, in the order in which they are asked (protocol decisions, section 4: they end in `filtered`). */
export const SCREENING_RULES = ['min-amount', 'max-amount', 'blocked-bin', 'blocked-country', 'blocked-ip', 'per-card', 'per-ip'] as const;
export type ScreeningRule = (typeof SCREENING_RULES)[number];

/**
 * What the entry point's rules said before any gate was asked, with the version of the rules and what was held against them. The payer's country
 * and address stand in the order's sealed texts and not here.
 */
export type OrderScreened = {
  readonly type: 'OrderScreened';
  readonly data: {
    readonly rulesVersion: string;
    readonly bin: string;
    /** What may be charged; none of an account verification. */
    readonly amounts: readonly Money[];
    /** Orders let through before this one within the rule's time; absent where the rules do not count them, or had said no before. */
    readonly cardCount?: number;
    readonly ipCount?: number;
    /** Absent where the order passed. */
    readonly brokenRule?: ScreeningRule;
    readonly screenedAt: Instant;
  };
};

/** An entry point's limits as its configuration gave them; lists sorted, so that equal rules have one text and one version. */
export interface ConfiguredRules {
  readonly minAmountMinor?: bigint;
  readonly maxAmountMinor?: bigint;
  readonly blockedBins: readonly string[];
  readonly blockedCountries: readonly string[];
  /** Addresses and CIDR blocks. */
  readonly blockedIps: readonly string[];
  readonly perCard: CountLimit;
  readonly perIp: CountLimit;
}

/** At most `count` orders let through in `hours`; a count of 0 is no limit. */
export interface CountLimit {
  readonly count: number;
  readonly hours: number;
}

/** Rules under the name that the plans of orders give: the first order that names them wrote them down. */
export type ScreeningRulesRecorded = {
  readonly type: 'ScreeningRulesRecorded';
  readonly data: ConfiguredRules & { readonly recordedAt: Instant };
};

/** An order was let through, and counts against what is counted here: a card or an address at an entry point. */
export type OrderCounted = {
  readonly type: 'OrderCounted';
  readonly data: { readonly orderId: OrderId; readonly countedAt: Instant };
};
