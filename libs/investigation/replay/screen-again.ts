import {
  SCREENING_RULES,
  screen,
  type ConfiguredRules,
  type OrderScreened,
  type ScreeningRule,
  type ScreeningRules,
} from '@app/orders/domain';
import type { Money } from '@app/kernel';

/** Rules as they were configured, and prepared. */
export interface RuleSet {
  readonly configured: ConfiguredRules;
  readonly prepared: ScreeningRules;
}

/** The inputs that the log has. A payer's country and address are sealed, and of the card's number it has six digits. */
export interface KnownInputs {
  readonly amounts: readonly Money[];
  readonly bin: string;
  readonly issuerCountry: string | undefined;
  /** Earlier orders of the card within the limit's time: those that these rules certainly let through, and those that they may have. */
  readonly cardCount: { readonly sure: number; readonly possible: number };
  /** Earlier orders of the entry point within the limit's time that these rules may count for an address and those of then did not, and the reverse. */
  readonly addressCounts: { readonly added: number; readonly removed: number };
}

/** What was decided then, and by which rules; absent where nothing was screened. */
export interface RecordedScreening {
  readonly screened: OrderScreened['data'];
  /** Undefined where the log lacks them. */
  readonly rules: ConfiguredRules | undefined;
}

export type ScreenedAgain =
  | { readonly kind: 'passes' }
  | { readonly kind: 'broken'; readonly rule: ScreeningRule; readonly doubtful: readonly ScreeningRule[] }
  /** Whether the order breaks these rules depends on what the log does not have. */
  | { readonly kind: 'cannot-know'; readonly doubtful: readonly ScreeningRule[] };

type Judgement = 'passes' | 'broken' | 'cannot-know';

/** Whether a rule was looked at then and passed: every one before the broken one, or all of them. */
const hasPassed = (rule: ScreeningRule, { screened }: RecordedScreening): boolean =>
  screened.brokenRule === undefined || SCREENING_RULES.indexOf(screened.brokenRule) > SCREENING_RULES.indexOf(rule);

/**
 * A list of blocked values of which the order's own is not on record: what was decided by the list of then says something where the one contains the
 * other.
 */
const byList = (
  rule: ScreeningRule,
  blocked: readonly string[],
  recorded: RecordedScreening | undefined,
  listOf: (rules: ConfiguredRules) => readonly string[],
): Judgement => {
  if (blocked.length === 0) return 'passes';
  if (recorded?.rules === undefined) return 'cannot-know';
  const then = listOf(recorded.rules);
  if (recorded.screened.brokenRule === rule) {
    const now = new Set(blocked);
    return then.length > 0 && then.every((text) => now.has(text)) ? 'broken' : 'cannot-know';
  }
  if (!hasPassed(rule, recorded)) return 'cannot-know';
  const before = new Set(then);
  return blocked.every((text) => before.has(text)) ? 'passes' : 'cannot-know';
};

const byCardCount = ({ count }: ConfiguredRules['perCard'], { sure, possible }: KnownInputs['cardCount']): Judgement => {
  if (count === 0 || possible < count) return 'passes';
  return sure >= count ? 'broken' : 'cannot-know';
};

/**
 * The payer's address is sealed, so the orders of one address cannot be counted again. The count of then holds only as far as the orders that these
 * rules decide differently, each of which may be of this address, cannot change what it says.
 */
const byAddressCount = (
  { count, hours }: ConfiguredRules['perIp'],
  { added, removed }: KnownInputs['addressCounts'],
  recorded: RecordedScreening | undefined,
): Judgement => {
  if (count === 0) return 'passes';
  const then = recorded?.rules?.perIp;
  const counted = recorded?.screened.ipCount;
  if (then === undefined || counted === undefined || then.hours !== hours) return 'cannot-know';
  if (counted - removed >= count) return 'broken';
  // At its limit nothing further was counted.
  return counted < then.count && counted + added < count ? 'passes' : 'cannot-know';
};

/** Ranges of more digits than are shown, of which the first six are the card's. */
const longerRanges = (blocked: readonly string[], bin: string): readonly string[] =>
  blocked.filter((prefix) => prefix.length > bin.length && prefix.startsWith(bin));

/** Every range in which the card may lie, by the digits that are shown. */
const possibleRanges = (blocked: readonly string[], bin: string): readonly string[] =>
  blocked.filter((prefix) => prefix.startsWith(bin) || bin.startsWith(prefix));

/** Decides again whether an order passes, by other rules. Pure; with the rules of then and nothing lost it decides as it was decided. */
export const screenAgain = (
  { configured, prepared }: RuleSet,
  { amounts, bin, issuerCountry, cardCount, addressCounts }: KnownInputs,
  recorded: RecordedScreening | undefined,
): ScreenedAgain => {
  const known = { amounts, leadingDigits: bin, customerCountry: undefined, issuerCountry, ip: undefined, cardCount: 0, ipCount: 0 };
  const judged: readonly (readonly [ScreeningRule, Judgement])[] = [
    [
      'blocked-bin',
      byList('blocked-bin', longerRanges(configured.blockedBins, bin), recorded, (rules) => possibleRanges(rules.blockedBins, bin)),
    ],
    ['blocked-country', byList('blocked-country', configured.blockedCountries, recorded, (rules) => rules.blockedCountries)],
    ['blocked-ip', byList('blocked-ip', configured.blockedIps, recorded, (rules) => rules.blockedIps)],
    ['per-card', byCardCount(configured.perCard, cardCount)],
    ['per-ip', byAddressCount(configured.perIp, addressCounts, recorded)],
  ];
  const broken = [screen(prepared, known), ...judged.filter(([, judgement]) => judgement === 'broken').map(([rule]) => rule)];
  const first = SCREENING_RULES.find((rule) => broken.includes(rule));
  const doubtful = judged.filter(([, judgement]) => judgement === 'cannot-know').map(([rule]) => rule);
  // One that is certainly broken stops the order, whatever is not known of another.
  if (first !== undefined) return { kind: 'broken', rule: first, doubtful };
  return doubtful.length === 0 ? { kind: 'passes' } : { kind: 'cannot-know', doubtful };
};
