import { createHash } from 'node:crypto';
import {
  commissionOf,
  present,
  type CommissionRate,
  type GateAlias,
  type NonEmpty,
  type Money,
  type EndpointId,
  type MerchantLogin,
} from '@app/kernel';
import {
  gatesOf,
  heldRule,
  routeBy,
  type RouteFacts,
  type RoutingRule,
  SCREENING_RULES,
  screen,
  type ConfiguredRules,
  type OrderScreened,
  type ScreeningRule,
  type ScreeningRules,
} from '@app/orders/domain';
import type { Accounts, WhatIfEndpoint, WhatIfRules } from '@app/configuration';
import { namedRouting, namedRules, preparedRules } from '@app/orders';
import type { PastOrder } from './past-order';

/** What the configuration knows of gates. */
export interface GatesOfToday {
  serves(gate: GateAlias, currency: string): boolean;
  commission(gate: GateAlias): CommissionRate | undefined;
  /** The entry point's gates as its configuration has them; undefined for one that it does not have any more. */
  gatesOf(merchant: string, endpoint: string): readonly GateAlias[] | undefined;
}

interface RoutedAgain {
  readonly gates: NonEmpty<GateAlias>;
  /** The rule that held. */
  readonly rule: string;
  /** A gate was drawn by a number that this order never had. */
  readonly isDrawnAnew: boolean;
}

/** What an entry point's orders are routed by. */
interface RoutingRulesAgain {
  /** In place of the gates that the entry point had. */
  readonly gates: NonEmpty<GateAlias> | undefined;
  /** Those that the entry point had when the order was accepted; of these the ones on record could serve it. */
  readonly had: readonly GateAlias[];
  readonly rules: readonly RoutingRule[];
}

/** The same number each time, so that a what-if gives the same answer twice; spread as chance is. */
const drawnAnew = (orderId: string, gate: GateAlias): number =>
  createHash('sha256')
    .update(JSON.stringify([orderId, gate]))
    .digest()
    .readUInt32BE(0);

/** The country is in an event that is read only where a rule asks for it. */
const factsOf = (order: PastOrder, isCountryAsked: boolean): RouteFacts => {
  const {
    amount,
    plan: { route },
    acceptedAt,
    card,
  } = order;
  return present({
    amount,
    at: route?.chosenAt ?? acceptedAt,
    bin: route?.bin ?? card?.face.bin,
    brand: route?.brand ?? card?.face.brand,
    country: route?.country ?? (isCountryAsked ? order.issuerCountry : undefined),
  });
};

/** The gates that could serve the order: of those that the entry point had then the ones on record, of others those that take its currency. */
const ableOf = (
  order: PastOrder,
  { gates: wanted, had }: Pick<RoutingRulesAgain, 'gates' | 'had'>,
  today: GatesOfToday,
): readonly GateAlias[] => {
  const then = order.gatesOnRecord;
  if (wanted === undefined) return then;
  return wanted.filter((gate) => then.includes(gate) || (!had.includes(gate) && today.serves(gate, order.amount.currency)));
};

/** Chooses an order's gates again, by other rules or among other gates; undefined where none of them could serve it. Pure. */
export const routeAgain = (order: PastOrder, { rules, ...among }: RoutingRulesAgain, today: GatesOfToday): RoutedAgain | undefined => {
  const [first, ...others] = ableOf(order, among, today);
  if (first === undefined) return undefined;
  const able: NonEmpty<GateAlias> = [first, ...others];
  const facts = factsOf(
    order,
    rules.some(({ when }) => when.countries !== undefined),
  );
  const held = heldRule(rules, { facts, able });
  const { route } = order.plan;
  const candidates = gatesOf(held.choice).filter((gate) => able.includes(gate));
  const draws = new Map((route?.draws ?? []).map(({ gate, draw }) => [gate, draw]));
  const isSplit = held.choice.kind === 'split';
  const undrawn = isSplit ? candidates.filter((gate) => !draws.has(gate)) : [];
  for (const gate of undrawn) draws.set(gate, drawnAnew(order.orderId, gate));
  const commissions = new Map((route?.commissions ?? []).map(({ gate, commissionMinor }) => [gate, commissionMinor]));
  if (held.choice.kind === 'least-commission') {
    for (const gate of candidates) if (!commissions.has(gate)) commissions.set(gate, priceOf(today, gate, order.amount.minor));
  }
  const chosen = routeBy(held, { facts, able, draws, commissions, away: new Set(route?.leftOut) });
  return { gates: chosen.gates, rule: chosen.rule, isDrawnAnew: undrawn.length > 0 && candidates.length > 1 };
};

const priceOf = (today: GatesOfToday, gate: GateAlias, minor: bigint): bigint => {
  const rate = today.commission(gate);
  if (rate === undefined) throw new Error(`the configuration has no gate ${gate}`);
  return commissionOf(minor, rate);
};

/** Rules as they were configured, and prepared. */
interface RuleSet {
  readonly configured: ConfiguredRules;
  readonly prepared: ScreeningRules;
}

/** The inputs that the log has. A payer's country and address are sealed, and of the card's number it has six digits. */
interface KnownInputs {
  readonly amounts: readonly Money[];
  readonly bin: string;
  readonly issuerCountry: string | undefined;
  /** Earlier orders of the card within the limit's time: those that these rules certainly let through, and those that they may have. */
  readonly cardCount: { readonly sure: number; readonly possible: number };
  /** Earlier orders of the entry point within the limit's time that these rules may count for an address and those of then did not, and the reverse. */
  readonly addressCounts: { readonly added: number; readonly removed: number };
}

/** What was decided then, and by which rules; absent where nothing was screened. */
interface RecordedScreening {
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

/** The rules that an entry point is to have; a section that is absent is what it was for each order. */
export interface EndpointRules {
  readonly gates: WhatIfEndpoint['gates'];
  /** With the version under which the same rules would be on record. */
  readonly screening: (RuleSet & { readonly version: string }) | 'none' | undefined;
  readonly routing: { readonly version: string; readonly rules: readonly RoutingRule[] } | 'none' | undefined;
}

const screeningOf = ({ screening }: WhatIfEndpoint): EndpointRules['screening'] => {
  if (screening === undefined || screening === 'none') return screening;
  const named = namedRules(screening);
  return named === undefined ? 'none' : { ...named, prepared: preparedRules(named.configured) };
};

const routingOf = ({ routing }: WhatIfEndpoint): EndpointRules['routing'] =>
  routing === undefined || routing === 'none' ? routing : namedRouting(routing);

/** Finds the rules of an order's entry point; undefined where they are to stay what they were. */
export class RulesByEndpoint {
  readonly #rules = new Map<string, EndpointRules>();

  constructor(rules: WhatIfRules) {
    for (const entry of rules) {
      const found = { gates: entry.gates, screening: screeningOf(entry), routing: routingOf(entry) };
      this.#rules.set(nameOf(entry.merchant, entry.endpoint), found);
    }
  }

  of(merchant: MerchantLogin, endpoint: EndpointId): EndpointRules | undefined {
    return this.#rules.get(nameOf(merchant, endpoint));
  }
}

const nameOf = (merchant: MerchantLogin, endpoint: EndpointId): string => `${merchant} ${endpoint}`;

export const gatesOfToday = ({ gates, merchant }: Pick<Accounts, 'gates' | 'merchant'>): GatesOfToday => {
  const byAlias = new Map(gates.map((gate) => [gate.alias, gate]));
  return {
    serves: (alias, currency) => [...(byAlias.get(alias)?.currencies ?? [])].some((one) => one === currency),
    commission: (alias) => byAlias.get(alias)?.commission,
    gatesOf: (login, endpoint) => merchant(login)?.endpoints.find(({ id }) => id === endpoint)?.gates,
  };
};
