import type { Instant, Money, OrderId } from '@app/kernel';

/** In the order of checks (protocol decisions, section 4: they end in `filtered`). */
export const SCREENING_RULES = ['min-amount', 'max-amount', 'blocked-bin', 'blocked-country', 'blocked-ip', 'per-card', 'per-ip'] as const;
export type ScreeningRule = (typeof SCREENING_RULES)[number];

/** With the inputs. The payer's country and address are only in the order's sealed texts. */
export type OrderScreened = {
  readonly type: 'OrderScreened';
  readonly data: {
    readonly rulesVersion: string;
    readonly bin: string;
    readonly amounts: readonly Money[];
    /** Absent if the rules do not count orders or an earlier rule was broken. */
    readonly cardCount?: number;
    readonly ipCount?: number;
    readonly brokenRule?: ScreeningRule;
    readonly screenedAt: Instant;
  };
};

export interface ConfiguredRules {
  readonly minAmountMinor?: bigint;
  readonly maxAmountMinor?: bigint;
  readonly blockedBins: readonly string[];
  readonly blockedCountries: readonly string[];
  readonly blockedIps: readonly string[];
  readonly perCard: CountLimit;
  readonly perIp: CountLimit;
}

export interface CountLimit {
  readonly count: number;
  readonly hours: number;
}

/** Recorded with the first order that names the version. */
export type ScreeningRulesRecorded = {
  readonly type: 'ScreeningRulesRecorded';
  readonly data: ConfiguredRules & { readonly recordedAt: Instant };
};

/** Counts for this stream's card or address at an entry point. */
export type OrderCounted = {
  readonly type: 'OrderCounted';
  readonly data: { readonly orderId: OrderId; readonly countedAt: Instant };
};

/** Inclusive range, as 128-bit values. */
export interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** An entry point's rules, prepared so that no list is searched linearly. */
export interface ScreeningRules {
  readonly minAmountMinor: bigint;
  readonly maxAmountMinor: bigint | undefined;
  /** By length, so that a prefix is one lookup. */
  readonly blockedBins: ReadonlyMap<number, ReadonlySet<string>>;
  readonly blockedCountries: ReadonlySet<string>;
  /** Ascending, none adjoining another. */
  readonly blockedIps: readonly AddressRange[];
  /** Orders let through in the rule's time; 0 is no limit. */
  readonly perCardCount: number;
  readonly perIpCount: number;
}

/** An unknown input breaks no rule. */
export interface ScreeningInputs {
  readonly amounts: readonly Money[];
  readonly leadingDigits: string;
  readonly customerCountry: string | undefined;
  readonly issuerCountry: string | undefined;
  readonly ip: bigint | undefined;
  readonly cardCount: number;
  readonly ipCount: number;
}

const isBlockedBin = (blocked: ScreeningRules['blockedBins'], digits: string): boolean => {
  for (const [length, prefixes] of blocked) if (digits.length >= length && prefixes.has(digits.slice(0, length))) return true;
  return false;
};

/** Only the last range that begins at or before the address can contain it. */
const isBlockedIp = (ranges: readonly AddressRange[], ip: bigint): boolean => {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle];
    if (range !== undefined && range.first <= ip) low = middle + 1;
    else high = middle;
  }
  const candidate = ranges[low - 1];
  return candidate !== undefined && ip <= candidate.last;
};

/** Returns the first broken rule in the order of `SCREENING_RULES`. Pure, so that decisions can be replayed. */
export const screen = (rules: ScreeningRules, inputs: ScreeningInputs): ScreeningRule | undefined => {
  const { amounts, leadingDigits, customerCountry, issuerCountry, ip, cardCount, ipCount } = inputs;
  for (const { minor } of amounts) if (minor < rules.minAmountMinor) return 'min-amount';
  if (rules.maxAmountMinor !== undefined) for (const { minor } of amounts) if (minor > rules.maxAmountMinor) return 'max-amount';
  if (isBlockedBin(rules.blockedBins, leadingDigits)) return 'blocked-bin';
  const { blockedCountries } = rules;
  if (customerCountry !== undefined && blockedCountries.has(customerCountry)) return 'blocked-country';
  if (issuerCountry !== undefined && blockedCountries.has(issuerCountry)) return 'blocked-country';
  if (ip !== undefined && isBlockedIp(rules.blockedIps, ip)) return 'blocked-ip';
  if (rules.perCardCount > 0 && cardCount >= rules.perCardCount) return 'per-card';
  if (rules.perIpCount > 0 && ipCount >= rules.perIpCount) return 'per-ip';
  return undefined;
};
