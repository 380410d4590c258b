import type { Instant, Money, OrderId } from '@app/kernel';

/** The operator's rules, in the order in which they are checked (protocol decisions, section 4: they end in `filtered`). */
export const SCREENING_RULES = ['min-amount', 'max-amount', 'blocked-bin', 'blocked-country', 'blocked-ip', 'per-card', 'per-ip'] as const;
export type ScreeningRule = (typeof SCREENING_RULES)[number];

/**
 * The result of the entry point's rules before any gate was asked, with the version of the rules and their inputs. The payer's country and address
 * are in the order's sealed texts and not here.
 */
export type OrderScreened = {
  readonly type: 'OrderScreened';
  readonly data: {
    readonly rulesVersion: string;
    readonly bin: string;
    /** The amounts that may be charged; none for an account verification. */
    readonly amounts: readonly Money[];
    /** Orders let through before this one within the rule's time; absent where the rules do not count them or an earlier rule was broken. */
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

/** Rules under the version that the plans of orders name, recorded with the first order that names them. */
export type ScreeningRulesRecorded = {
  readonly type: 'ScreeningRulesRecorded';
  readonly data: ConfiguredRules & { readonly recordedAt: Instant };
};

/** An order was let through and counts for this stream's card or address at an entry point. */
export type OrderCounted = {
  readonly type: 'OrderCounted';
  readonly data: { readonly orderId: OrderId; readonly countedAt: Instant };
};
